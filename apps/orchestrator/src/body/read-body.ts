import type { Readable } from 'node:stream';
import { ApiProblem } from '../problem/api-problem.js';
import { MAX_DRAINED_BYTES, formatMebibytes } from './limits.js';

export interface ReadBodyOptions {
  /** Maximum number of bytes to read and discard before a refusal. */
  readonly drain?: number;
  /**
   * Called with each chunk within the limit. Once it returns false, nothing more is kept, because the body will be
   * refused.
   */
  readonly onChunk?: (chunk: Buffer) => boolean;
}

/**
 * Reads the body of a request. When it is larger than `limit`, the rest is read and discarded before the refusal, so
 * that the caller receives the response. Throws ApiProblem `request_too_large`, and every error of `onChunk`.
 */
export async function readBody(body: Readable, limit: number, options: ReadBodyOptions = {}): Promise<Buffer> {
  const { drain = MAX_DRAINED_BYTES, onChunk } = options;
  const chunks: Buffer[] = [];
  let size = 0;
  let shouldKeep = true;
  let refusal: unknown;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > drain) break;
    try {
      shouldKeep &&= size <= limit && (onChunk?.(chunk) ?? true);
    } catch (error) {
      refusal = error;
      shouldKeep = false;
    }
    if (shouldKeep) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (refusal !== undefined) throw refusal;
  if (size > limit) throw createTooLargeProblem(limit);
  return Buffer.concat(chunks);
}

/** Refuses a body whose content-length exceeds even the number of bytes to discard. */
export function refuseOversized(contentLength: string | undefined, limit: number, drain = MAX_DRAINED_BYTES): void {
  if (contentLength !== undefined && Number(contentLength) > drain) throw createTooLargeProblem(limit);
}

export function createTooLargeProblem(limit: number): ApiProblem {
  return new ApiProblem(
    'request_too_large',
    `The body is larger than ${formatMebibytes(limit)}. Send fewer or smaller documents; as multipart/form-data they need no base64.`,
    { headers: { connection: 'close' } },
  );
}
