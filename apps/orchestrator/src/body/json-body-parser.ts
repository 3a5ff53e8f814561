import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describeExcess, JsonScan, type JsonBounds, type JsonExcess } from '@phaseline/queue';
import { ApiProblem } from '../problem/api-problem.js';
import { BodyMemory } from './body-memory.js';
import { boundsOfRoute, MAX_BODY_MEMORY_BYTES } from './limits.js';
import { locateJsonError } from './locate-json-error.js';
import { readBody, refuseOversized, createTooLargeProblem } from './read-body.js';

/**
 * Replaces Fastify's parser for `application/json`, which neither checks limits before parsing nor reports the position
 * of a syntax error.
 */
export function addJsonParser(http: FastifyInstance, maxHeldBytes = MAX_BODY_MEMORY_BYTES): void {
  const held = new BodyMemory(maxHeldBytes);
  http.addHook('onResponse', async (request) => held.release(request.raw));
  http.removeContentTypeParser('application/json');
  http.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const bounds = boundsOfRoute(request.routeOptions.url);
    refuseOversized(request.headers['content-length'], bounds.bytes);
    const scan = new JsonScan(bounds);
    const body = await readBody(payload, bounds.bytes, {
      onChunk: (chunk) => {
        held.add(request.raw, chunk.byteLength);
        scan.add(chunk);
        return scan.excess === undefined;
      },
    });
    if (scan.excess !== undefined) throw createExcessProblem(scan.excess, bounds);
    return parseJsonBody(body);
  });
}

/** Creates the problem for JSON that exceeds a limit. */
export function createExcessProblem(excess: JsonExcess, bounds: JsonBounds): ApiProblem {
  if (excess === 'bytes') return createTooLargeProblem(bounds.bytes);
  return new ApiProblem(
    excess === 'depth' ? 'invalid_request' : 'request_too_large',
    `The JSON of this request is not accepted: ${describeExcess(excess, bounds)}. Send large data as documents.`,
  );
}

/**
 * Parses a body; an empty one is undefined. Throws ApiProblem `invalid_request` with the position of a syntax error.
 */
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
    throw new ApiProblem(
      'invalid_request',
      `The body is not valid JSON${describePlace(text)}. Correct it and send it again.`,
      { cause },
    );
  }
}

function describePlace(text: string): string {
  const place = locateJsonError(text);
  if (!place) return '';
  const { line, column, found } = place;
  return `: line ${line}, column ${column}, ${found === undefined ? 'where it ends' : `at ${JSON.stringify(found)}`}`;
}
