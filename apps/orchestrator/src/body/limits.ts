import { MAX_DOCUMENT_BYTES } from '@phaseline/orchestration';
import type { JsonBounds } from '@phaseline/queue';

const MEBIBYTE = 1024 * 1024;

/**
 * Maximum size of a JSON submission in bytes. A document in JSON is held in memory, so it may not be as large as one in
 * a form. In base64 it takes four thirds of its size; the rest is for the other fields.
 */
export const MAX_JSON_BYTES = Math.ceil((MAX_DOCUMENT_BYTES * 4) / 3) + 8 * MEBIBYTE;

/** Maximum number of values (members of objects and items of lists) per body. Parameters may have half of them. */
const MAX_JSON_VALUES = 20_000;

/** Maximum nesting depth. Parameters may have 32 levels; the rest is for the objects around them. */
const MAX_JSON_DEPTH = 40;

const boundsOfBytes = (bytes: number): JsonBounds => ({ bytes, values: MAX_JSON_VALUES, depth: MAX_JSON_DEPTH });

/** Limits of a submission, also on the `jobs` queue. */
export const SUBMISSION_BOUNDS: JsonBounds = boundsOfBytes(MAX_JSON_BYTES);

/** Limits of one field of a form: instructions, or a request whose documents come as files. */
export const FIELD_BOUNDS: JsonBounds = boundsOfBytes(4 * MEBIBYTE);

const bodyBounds: Readonly<Record<string, JsonBounds>> = {
  '/v1/jobs': SUBMISSION_BOUNDS,
  // Room for an edited model answer of up to a million characters.
  '/v1/jobs/:jobId/fork': boundsOfBytes(8 * MEBIBYTE),
};

/** Returns the limits of the JSON that a route accepts. Most routes accept a reason or a message. */
export function boundsOfRoute(route: string | undefined): JsonBounds {
  return (route === undefined ? undefined : bodyBounds[route]) ?? boundsOfBytes(MEBIBYTE);
}

/** Maximum number of bytes of JSON bodies in memory, over all requests; above it requests are refused with 429. */
export const MAX_BODY_MEMORY_BYTES = 256 * MEBIBYTE;

/** Returns the maximum size in bytes of all documents of one form together. */
export function maxFormBytes(documentBytes: number): number {
  return 4 * documentBytes;
}

/**
 * Maximum number of bytes of a refused body to read and discard. A server that responds and disconnects during an
 * upload usually leaves the caller with a broken connection instead of the response.
 */
export const MAX_DRAINED_BYTES = 1024 * MEBIBYTE;

/** Formats a number of bytes, for example `50 MiB`. */
export function formatMebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(bytes % MEBIBYTE === 0 ? 0 : 1)} MiB`;
}
