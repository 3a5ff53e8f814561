import { MAX_DOCUMENT_BYTES } from '@phaseline/orchestration';

const MEBIBYTE = 1024 * 1024;

/** A document in JSON stands in memory, so it may not be as large as one in a form. In base64 it takes four thirds of its size; the rest is for what stands around it. */
export const MAX_JSON_BYTES = Math.ceil((MAX_DOCUMENT_BYTES * 4) / 3) + 8 * MEBIBYTE;

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
