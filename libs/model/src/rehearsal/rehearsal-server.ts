import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '@phaseline/domain';
import { REHEARSAL_MODEL } from './answer-chunks.js';
import type { RehearsalFault } from './faults.js';
import { parseRequest, playRequest, type Stage } from './play-request.js';
import { Refusal, refusalBody, refusalOf } from './refusal.js';
import { sendJson, sendStream, sendWhole } from './send-answer.js';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

export interface RehearsalServerOptions extends Stage {
  /** 0, which is the default, takes any free port. */
  readonly port?: number;
  /** Pause before each answer, as a model would need one. */
  readonly latencyMs?: number;
  /** When set, requests without this key are refused. */
  readonly apiKey?: string;
  /** For tests: what goes wrong, request by request. */
  readonly faults?: readonly (RehearsalFault | null)[];
}

export interface RehearsalServer {
  /** As a client wants it: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  /** Completion requests that came in so far, refused ones included. */
  readonly requests: () => number;
  close(): Promise<void>;
}

interface Situation {
  readonly options: RehearsalServerOptions;
  readonly fault: RehearsalFault | undefined;
  readonly closing: AbortSignal;
}

/**
 * A stand-in for a language model: a local server that speaks Chat Completions and plays scripted policies. It is
 * deterministic, keeps nothing between requests but the place in its list of faults, and calls itself `rehearsal` in
 * every answer. It listens on 127.0.0.1 only.
 */
export async function startRehearsalServer(options: RehearsalServerOptions): Promise<RehearsalServer> {
  let requests = 0;
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const fault = isCompletion(request) ? options.faults?.[requests] : undefined;
    if (isCompletion(request)) requests++;
    handle(request, response, { options, fault: fault ?? undefined, closing: closing.signal }).catch((error: unknown) =>
      fail(response, error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, situation: Situation): Promise<void> {
  const { options, fault, closing } = situation;
  const text = await readBody(request);
  checkKey(request, options.apiKey);
  if (request.method === 'GET' && pathOf(request) === '/v1/models')
    return sendJson(response, 200, modelList(options.contextTokens));
  if (!isCompletion(request)) throw new Refusal(404, `${request.method} ${pathOf(request)} is not known here`);
  if (fault?.kind === 'status') {
    const {
      status,
      headers,
      body = refusalBody(new Refusal(status, `fault ${status}`, null, 'rehearsal_fault')),
    } = fault;
    return sendJson(response, status, body, headers);
  }
  const asked = parseRequest(text);
  const played = playRequest(asked, options);
  const pauseMs = (options.latencyMs ?? 0) + (fault?.kind === 'delay' ? (fault.beforeMs ?? 0) : 0);
  if (pauseMs > 0) await wait(pauseMs, undefined, { signal: closing });
  if (!asked.stream) return sendWhole(response, played, fault);
  await sendStream(response, played, { withUsage: asked.stream_options?.include_usage ?? false, fault, closing });
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const refusal = refusalOf(error);
  sendJson(response, refusal.status, refusalBody(refusal));
}

function checkKey(request: IncomingMessage, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${apiKey}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new Refusal(401, 'the API key is not the one that this server wants', 'invalid_api_key');
}

function modelList(contextTokens: number | undefined): JsonObject {
  const model: JsonObject = { id: REHEARSAL_MODEL, object: 'model', created: 0, owned_by: 'phaseline' };
  return { object: 'list', data: [contextTokens === undefined ? model : { ...model, meta: { n_ctx: contextTokens } }] };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Refusal(413, `the body is longer than ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function isCompletion(request: IncomingMessage): boolean {
  return request.method === 'POST' && pathOf(request) === '/v1/chat/completions';
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?')[0] ?? '';
}
