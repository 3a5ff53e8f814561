import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from '../problem/api-problem.js';
import { createTooLargeProblem } from '../body/read-body.js';
import { MAX_FILE_BYTES } from '@phaseline/workspace';

/** Passes the bytes of a file on as a stream. Only the route that writes files accepts them. */
export function addFileParser(http: FastifyInstance): void {
  http.removeContentTypeParser('application/octet-stream');
  http.addContentTypeParser('application/octet-stream', (request: FastifyRequest, payload: Readable, done) => {
    if (request.method === 'PUT' && request.routeOptions.url === '/v1/jobs/:jobId/files/*') done(null, payload);
    else done(new ApiProblem('unsupported_media_type', 'This route does not accept bytes. Send application/json.'));
  });
}

/** Yields the bytes of a file. Throws ApiProblem `request_too_large` beyond the maximum size of a file. */
export async function* limitFileBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_FILE_BYTES) throw createTooLargeProblem(MAX_FILE_BYTES);
    yield chunk;
  }
}
