import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonValue } from '@phaseline/basics';
import { toStreamChunks, toResponseBody, type PlayedAnswer } from './answer-chunks.js';
import type { RehearsalFault } from './faults.js';

type Fault = RehearsalFault | undefined;
type Headers = Readonly<Record<string, string>>;

export function sendJson(response: ServerResponse, status: number, body: JsonValue, headers: Headers = {}): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** Sends the answer as server-sent events, up to the point of the fault. */
export async function sendStream(
  response: ServerResponse,
  played: PlayedAnswer,
  options: {
    readonly withUsage: boolean;
    readonly pieceMs: number;
    readonly fault: Fault;
    readonly closing: AbortSignal;
  },
): Promise<void> {
  const { fault, closing } = options;
  const events = [...toStreamChunks(played, options.withUsage).map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  );
  const sent = fault && 'afterChunks' in fault ? events.slice(0, fault.afterChunks) : events;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const perChunkMs = fault?.kind === 'delay' ? (fault.perChunkMs ?? 0) : options.pieceMs;
  if (perChunkMs === 0) response.write(sent.join(''));
  else {
    for (const event of sent) {
      await wait(perChunkMs, undefined, { signal: closing });
      response.write(event);
    }
  }
  if (sent.length < events.length) breakOff(response, fault);
  else response.end();
}

/** Sends the answer as one body, altered by the fault. */
export function sendWhole(response: ServerResponse, played: PlayedAnswer, fault: Fault): void {
  const body = JSON.stringify(toResponseBody(played));
  if (fault?.kind === 'error') return sendJson(response, 200, { error: fault.error });
  if (fault?.kind !== 'malformed' && fault?.kind !== 'cut') return sendText(response, 200, body);
  const half = body.slice(0, body.length / 2);
  if (fault.kind === 'malformed' || fault.how === 'end') return sendText(response, 200, half);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(half);
  reset(response);
}

/** Ends a started stream as the fault specifies. */
function breakOff(response: ServerResponse, fault: Fault): void {
  if (fault?.kind === 'error') response.end(`data: ${JSON.stringify({ error: fault.error })}\n\n`);
  else if (fault?.kind === 'malformed') response.end('data: {"choices": [{"delta": {"content": \n\n');
  else if (fault?.kind === 'cut' && fault.how === 'reset') reset(response);
  else response.end();
}

/** Breaks the connection after flushing what was written. */
function reset(response: ServerResponse): void {
  response.write('\n', () => setImmediate(() => response.destroy()));
}

function sendText(response: ServerResponse, status: number, body: string, headers: Headers = {}): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
