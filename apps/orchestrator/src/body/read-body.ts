import type { Readable } from 'node:stream';
import { ApiProblem } from '../problem/api-problem.js';
import { MAX_DRAINED_BYTES, mebibytes } from './limits.js';

/**
 * The bytes of a request. When there are more than `limit`, the rest is read and thrown away before the refusal, so that
 * the caller gets to read it. Throws ApiProblem `request_too_large`.
 */
export async function readBody(body: Readable, limit: number, drain = MAX_DRAINED_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (size > drain) break;
  }
  if (size > limit) throw tooLarge(limit);
  return Buffer.concat(chunks, size);
}

/** Refuses a body that says of itself that it is beyond all patience. */
export function refuseHopeless(contentLength: string | undefined, limit: number, drain = MAX_DRAINED_BYTES): void {
  if (contentLength !== undefined && Number(contentLength) > drain) throw tooLarge(limit);
}

export function tooLarge(limit: number): ApiProblem {
  return new ApiProblem(
    'request_too_large',
    `The body is larger than ${mebibytes(limit)}. Send fewer or smaller documents; as multipart/form-data they need no base64.`,
    { headers: { connection: 'close' } },
  );
}
