import { SUBMISSION_JSON_BOUNDS } from '@phaseline/contracts';
import type { JsonBounds } from '@phaseline/queue';

const MEBIBYTE = 1024 * 1024;

const boundsOfBytes = (bytes: number): JsonBounds => ({ ...SUBMISSION_JSON_BOUNDS, bytes });

/** Limits of one field of a form: instructions, or a request whose documents come as files. */
export const FIELD_BOUNDS: JsonBounds = boundsOfBytes(4 * MEBIBYTE);

const bodyBounds: Readonly<Record<string, JsonBounds>> = {
  '/v1/jobs': SUBMISSION_JSON_BOUNDS,
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
