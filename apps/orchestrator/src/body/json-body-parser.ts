import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem } from '../problem/api-problem.js';
import { MAX_JSON_BYTES } from './limits.js';
import { locateJsonError } from './locate-json-error.js';
import { readBody, refuseHopeless } from './read-body.js';

/** Parses `application/json`; in the place of Fastify's parser, which does not say where a mistake is. */
export function addJsonParser(http: FastifyInstance): void {
  http.removeContentTypeParser('application/json');
  http.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    refuseHopeless(request.headers['content-length'], MAX_JSON_BYTES);
    return parseJsonBody(await readBody(payload, MAX_JSON_BYTES));
  });
}

/** An empty body counts as none. Throws ApiProblem `invalid_request` with the place of the mistake. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiProblem('invalid_request', 'The body is not text in UTF-8. Send JSON in UTF-8.', { cause });
  }
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiProblem('invalid_request', `The body is not valid JSON${placeOf(text)}. Mend it and send it again.`, {
      cause,
    });
  }
}

function placeOf(text: string): string {
  const place = locateJsonError(text);
  if (!place) return '';
  const { line, column, found } = place;
  return `: line ${line}, column ${column}, ${found === undefined ? 'where it ends' : `at ${JSON.stringify(found)}`}`;
}
