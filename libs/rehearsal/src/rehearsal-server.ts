import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '@phaseline/basics';
import { REHEARSAL_MODEL } from './answer-chunks.js';
import { embedTexts } from './embed-texts.js';
import type { RehearsalFault } from './faults.js';
import { parseRequest, playRequest, type PlayOptions } from './play-request.js';
import { Refusal, toRefusalBody, toRefusal } from './refusal.js';
import { sendJson, sendStream, sendWhole } from './send-answer.js';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

export interface RehearsalServerOptions extends PlayOptions {
  /** Port to listen on. The default, 0, selects any free port. */
  readonly port?: number;
  /** Pause before each answer, to simulate a model's latency. */
  readonly latencyMs?: number;
  /** Pause before each piece of a streamed answer, to simulate a model that writes. */
  readonly pieceMs?: number;
  /** If set, requests without this key are refused. */
  readonly apiKey?: string;
  /** Faults to inject in tests, one per completion request. */
  readonly faults?: readonly (RehearsalFault | null)[];
}

export interface RehearsalServer {
  /** Base URL for clients: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  /** Number of completion requests received, including refused ones. */
  readonly requests: () => number;
  close(): Promise<void>;
}

interface RequestContext {
  readonly options: RehearsalServerOptions;
  readonly fault: RehearsalFault | undefined;
  readonly closing: AbortSignal;
}

/**
 * Starts a substitute for a language model: a local server that speaks Chat Completions and plays policies, and computes embeddings. It is
 * deterministic, keeps no state between requests except its position in the list of faults, and identifies itself as
 * `rehearsal` in every answer. It listens on 127.0.0.1 only.
 */
export async function startRehearsalServer(options: RehearsalServerOptions): Promise<RehearsalServer> {
  let requests = 0;
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const fault = isCompletion(request) ? options.faults?.[requests] : undefined;
    if (isCompletion(request)) requests++;
    handle(request, response, { options, fault: fault ?? undefined, closing: closing.signal }).catch((error: unknown) =>
      sendFailure(response, error),
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

async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
  const { options, fault, closing } = context;
  const text = await readBody(request);
  checkKey(request, options.apiKey);
  if (request.method === 'GET' && pathOf(request) === '/v1/models')
    return sendJson(response, 200, toModelList(options.contextTokens));
  if (request.method === 'POST' && pathOf(request) === '/v1/embeddings') {
    if (options.latencyMs) await wait(options.latencyMs, undefined, { signal: closing });
    return sendJson(response, 200, embedTexts(text));
  }
  if (!isCompletion(request)) throw new Refusal(404, `${request.method} ${pathOf(request)} is not supported`);
  if (fault?.kind === 'status') {
    const {
      status,
      headers,
      body = toRefusalBody(new Refusal(status, `fault ${status}`, null, 'rehearsal_fault')),
    } = fault;
    return sendJson(response, status, body, headers);
  }
  const completion = parseRequest(text);
  const played = playRequest(completion, options);
  const pauseMs = (options.latencyMs ?? 0) + (fault?.kind === 'delay' ? (fault.beforeMs ?? 0) : 0);
  if (pauseMs > 0) await wait(pauseMs, undefined, { signal: closing });
  if (!completion.stream) return sendWhole(response, played, fault);
  await sendStream(response, played, {
    withUsage: completion.stream_options?.include_usage ?? false,
    pieceMs: options.pieceMs ?? 0,
    fault,
    closing,
  });
}

function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const refusal = toRefusal(error);
  sendJson(response, refusal.status, toRefusalBody(refusal));
}

function checkKey(request: IncomingMessage, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${apiKey}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new Refusal(401, 'the API key does not match the key of this server', 'invalid_api_key');
}

function toModelList(contextTokens: number | undefined): JsonObject {
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
