import { MAX_DOCUMENT_BYTES } from '@phaseline/orchestration';
import type { JsonBounds } from '@phaseline/queue';

const MEBIBYTE = 1024 * 1024;

/** A document in JSON stands in memory, so it may not be as large as one in a form. In base64 it takes four thirds of its size; the rest is for what stands around it. */
export const MAX_JSON_BYTES = Math.ceil((MAX_DOCUMENT_BYTES * 4) / 3) + 8 * MEBIBYTE;

/** Members of objects and items of lists in one body. Parameters, the most that a request may hold, have half of them. */
const MAX_JSON_VALUES = 20_000;

/** Parameters may be nested 32 levels deep; the rest is for what they stand in. */
const MAX_JSON_DEPTH = 40;

const bounded = (bytes: number): JsonBounds => ({ bytes, values: MAX_JSON_VALUES, depth: MAX_JSON_DEPTH });

/** Limits of a submission, on the `jobs` queue too. */
export const SUBMISSION_BOUNDS: JsonBounds = bounded(MAX_JSON_BYTES);

/** Limits of one field of a form: instructions, or a request whose documents come as files. */
export const FIELD_BOUNDS: JsonBounds = bounded(4 * MEBIBYTE);

const bodyBounds: Readonly<Record<string, JsonBounds>> = {
  '/v1/jobs': SUBMISSION_BOUNDS,
  // An edited answer of the model of up to a million characters.
  '/v1/jobs/:jobId/fork': bounded(8 * MEBIBYTE),
};

/** Returns the limits of the JSON that a route takes. Most routes take a reason or a message. */
export function boundsOfRoute(route: string | undefined): JsonBounds {
  return (route === undefined ? undefined : bodyBounds[route]) ?? bounded(MEBIBYTE);
}

/** Bytes of JSON bodies that are held at once, over all requests; beyond it callers are asked to come again. */
export const MAX_HELD_BYTES = 256 * MEBIBYTE;

/** All documents of one form together, beside the bound of each: a submission is one decision of one person. */
export function maxFormBytes(documentBytes: number): number {
  return 4 * documentBytes;
}

/**
 * A refused body is read to its end and thrown away up to this size: a server that answers and hangs up in the middle of
 * an upload mostly leaves its caller with a broken connection instead of the answer.
 */
export const MAX_DRAINED_BYTES = 1024 * MEBIBYTE;

/** `50 MiB` */
export function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(bytes % MEBIBYTE === 0 ? 0 : 1)} MiB`;
}
