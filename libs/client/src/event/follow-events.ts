import { RequestRefused, RequestTimedOut, ServerUnreachable, UnexpectedAnswer } from '../http/client-errors.js';
import { backoffMs, pause } from '../http/pause.js';
import { EVENT_STREAM_MEDIA_TYPE, LAST_EVENT_ID_HEADER, routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { eventRecordSchema, STREAM_END, streamEndSchema, type EventRecord, type StreamEnd } from './event-record.js';
import { ServerSentEventParser, type ServerSentEvent } from './server-sent-event-parser.js';

export interface FollowOptions {
  /** Only events behind this position. 0, the default, is the beginning. */
  readonly after?: number;
  readonly types?: readonly string[];
  readonly signal?: AbortSignal;
  /** How many broken connections in a row, with no event between them, are mended before giving up. */
  readonly maxReconnects?: number;
  /** A stream that is silent for longer is taken for dead. Servers send something every 15 seconds. */
  readonly idleTimeoutMs?: number;
  readonly backoff?: (retry: number) => number;
  /** Called before each attempt to connect again: how many connections in a row have broken, and why the last one did. */
  readonly onReconnect?: (cutsInARow: number, cause: unknown) => void;
  /** Called when a connection stands again after `onReconnect`. */
  readonly onReconnected?: () => void;
}

const MAX_RECONNECTS = 10;
const IDLE_TIMEOUT_MS = 45_000;

/** The connection went away before the job's end; the next one takes up where it stopped. */
class StreamCut extends Error {}

/**
 * The events of a job from a position on, each once and in order, over as many connections as it takes. Returns when the
 * job has ended. Throws a PhaselineClientError, or the signal's reason.
 */
export async function* followEvents(
  transport: Transport,
  jobId: string,
  options: FollowOptions = {},
): AsyncGenerator<EventRecord, StreamEnd, undefined> {
  const maxReconnects = options.maxReconnects ?? MAX_RECONNECTS;
  const backoff = options.backoff ?? backoffMs;
  let position = options.after ?? 0;
  let connected = false;
  let cutsInARow = 0;
  for (;;) {
    try {
      const connection = await connect(transport, jobId, position, { ...options, first: !connected });
      if (cutsInARow > 0) options.onReconnected?.();
      connected = true;
      try {
        for (;;) {
          const next = await connection.next();
          if (next.done) return next.value;
          cutsInARow = 0;
          const { record, resumeAt } = next.value;
          // A server that replays a little after a reconnect must not make a reader count twice.
          const fresh = record !== undefined && record.position > position;
          position = Math.max(position, resumeAt);
          if (fresh) yield record;
        }
      } finally {
        await connection.return({ status: 'running' });
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!connected || !isPassing(error) || cutsInARow >= maxReconnects) {
        throw error instanceof StreamCut ? new ServerUnreachable(transport.baseUrl, { cause: error }) : error;
      }
      options.onReconnect?.(cutsInARow + 1, error);
      await pause(backoff(cutsInARow), options.signal);
      cutsInARow += 1;
    }
  }
}

/** A sign of life from the server, with a record or without. */
interface Progress {
  readonly record?: EventRecord;
  /** Behind which position the next connection starts. */
  readonly resumeAt: number;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function connect(
  transport: Transport,
  jobId: string,
  after: number,
  options: FollowOptions & { readonly first: boolean },
): Promise<AsyncGenerator<Progress, StreamEnd, undefined>> {
  const title = `GET ${routes.jobEvents(jobId)}`;
  const reader = await transport.send(
    {
      method: 'GET',
      path: routes.jobEvents(jobId),
      query: { after, types: options.types },
      headers: { accept: EVENT_STREAM_MEDIA_TYPE, [LAST_EVENT_ID_HEADER]: String(after) },
      signal: options.signal,
      // Later connections are counted and spaced by the loop above.
      repeatable: options.first,
    },
    async (response) => {
      const body = response.body?.getReader();
      if (body && response.headers.get('content-type')?.startsWith(EVENT_STREAM_MEDIA_TYPE)) return body;
      await body?.cancel();
      throw new UnexpectedAnswer(title, `the answer is not of type ${EVENT_STREAM_MEDIA_TYPE}`);
    },
  );
  return readEvents(reader, title, after, options.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
}

async function* readEvents(
  reader: Reader,
  title: string,
  after: number,
  idleTimeoutMs: number,
): AsyncGenerator<Progress, StreamEnd, undefined> {
  const parser = new ServerSentEventParser();
  const decoder = new TextDecoder();
  let position = after;
  try {
    for (;;) {
      const chunk = await readWithin(reader, idleTimeoutMs);
      for (const event of take(parser, title, decoder.decode(chunk, { stream: true }))) {
        if (event.name === STREAM_END) return parsed(title, event.data, streamEndSchema);
        if (event.name !== 'message') continue;
        const record = parsed(title, event.data, eventRecordSchema);
        position = Math.max(position, record.position);
        yield { record, resumeAt: position };
      }
      const seen = Number(parser.lastEventId);
      if (Number.isSafeInteger(seen)) position = Math.max(position, seen);
      yield { resumeAt: position };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function take(parser: ServerSentEventParser, title: string, text: string): readonly ServerSentEvent[] {
  try {
    return parser.push(text);
  } catch (error) {
    throw new UnexpectedAnswer(title, 'the stream cannot be read', { cause: error });
  }
}

async function readWithin(reader: Reader, idleTimeoutMs: number): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamCut(`no sign of life for ${idleTimeoutMs} ms`)), idleTimeoutMs);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), idle]);
    if (done || value === undefined) throw new StreamCut('the stream closed before the end of the job');
    return value;
  } catch (error) {
    throw error instanceof StreamCut ? error : new StreamCut('the stream broke', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function parsed<Value>(title: string, data: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(JSON.parse(data));
  } catch (error) {
    throw new UnexpectedAnswer(title, 'an event of the stream cannot be read', { cause: error });
  }
}

/** What a server that restarts does to its readers; everything else would only repeat itself. */
function isPassing(error: unknown): boolean {
  if (error instanceof StreamCut || error instanceof ServerUnreachable || error instanceof RequestTimedOut) return true;
  return error instanceof RequestRefused ? error.status >= 500 || error.status === 429 : false;
}
