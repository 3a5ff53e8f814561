import { ServerSentEventParser, type ServerSentEvent } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { RequestRefused, RequestTimedOut, ServerUnreachable, UnexpectedResponse } from '../http/client-errors.js';
import { backoffMs, pause } from '../http/pause.js';
import { EVENT_STREAM_MEDIA_TYPE, LAST_EVENT_ID_HEADER, routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { eventRecordSchema, STREAM_END, streamEndSchema, type EventRecord, type StreamEnd } from './event-record.js';

export interface FollowOptions {
  /** Only events after this position. Default 0, the beginning. */
  readonly after?: number;
  readonly types?: readonly string[] | undefined;
  readonly signal?: AbortSignal;
  /** Maximum number of consecutive reconnects without receiving anything in between. Default 10. */
  readonly maxReconnects?: number;
  /** Time without data after which a connection is considered dead. Servers send something every 15 seconds. Default 45,000. */
  readonly idleTimeoutMs?: number;
  readonly backoff?: (retry: number) => number;
  /** Called before each reconnect with the number of consecutive failed connections and the error of the last one. */
  readonly onReconnect?: (failures: number, cause: unknown) => void;
  /** Called when a reconnect has succeeded. */
  readonly onReconnected?: () => void;
}

const MAX_RECONNECTS = 10;
const IDLE_TIMEOUT_MS = 45_000;

/** The connection was lost before the end of the job. */
class StreamCut extends Error {}

/**
 * Yields the events of a job after a position, each once and in order, and reconnects when a connection is lost. Returns when the job
 * has ended. Throws a PhaselineClientError, or the signal's reason.
 */
export async function* followEvents(
  transport: Transport,
  jobId: JobId,
  options: FollowOptions = {},
): AsyncGenerator<EventRecord, StreamEnd, undefined> {
  const maxReconnects = options.maxReconnects ?? MAX_RECONNECTS;
  const backoff = options.backoff ?? backoffMs;
  let position = options.after ?? 0;
  let hasConnected = false;
  let failures = 0;
  for (;;) {
    try {
      const connection = await connect(transport, jobId, position, { ...options, isFirst: !hasConnected });
      if (failures > 0) options.onReconnected?.();
      hasConnected = true;
      try {
        for (;;) {
          const next = await connection.next();
          if (next.done) return next.value;
          failures = 0;
          const { record, resumeAt } = next.value;
          // The server may repeat events after a reconnect; the reader must not see them twice.
          const isNew = record !== undefined && record.position > position;
          position = Math.max(position, resumeAt);
          if (isNew) yield record;
        }
      } finally {
        await connection.return({ status: 'running' });
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!hasConnected || !isTransient(error) || failures >= maxReconnects) {
        throw error instanceof StreamCut ? new ServerUnreachable(transport.baseUrl, { cause: error }) : error;
      }
      options.onReconnect?.(failures + 1, error);
      await pause(backoff(failures), options.signal);
      failures += 1;
    }
  }
}

/** Data received from the server, with or without a record. */
interface Progress {
  readonly record?: EventRecord;
  /** Position after which the next connection starts. */
  readonly resumeAt: number;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function connect(
  transport: Transport,
  jobId: JobId,
  after: number,
  options: FollowOptions & { readonly isFirst: boolean },
): Promise<AsyncGenerator<Progress, StreamEnd, undefined>> {
  const title = `GET ${routes.jobEvents(jobId)}`;
  const reader = await transport.send(
    {
      method: 'GET',
      path: routes.jobEvents(jobId),
      query: { after, types: options.types },
      headers: { accept: EVENT_STREAM_MEDIA_TYPE, [LAST_EVENT_ID_HEADER]: String(after) },
      signal: options.signal,
      // Reconnects are counted and delayed by the loop in `followEvents`.
      isRepeatable: options.isFirst,
    },
    async (response) => {
      const body = response.body?.getReader();
      if (body && response.headers.get('content-type')?.startsWith(EVENT_STREAM_MEDIA_TYPE)) return body;
      await body?.cancel();
      throw new UnexpectedResponse(title, `the response is not of type ${EVENT_STREAM_MEDIA_TYPE}`);
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
      for (const event of parseEvents(parser, title, decoder.decode(chunk, { stream: true }))) {
        if (event.name === STREAM_END) return parseData(title, event.data, streamEndSchema);
        if (event.name !== 'message') continue;
        const record = parseData(title, event.data, eventRecordSchema);
        position = Math.max(position, record.position);
        yield { record, resumeAt: position };
      }
      const lastId = Number(parser.lastEventId);
      if (Number.isSafeInteger(lastId)) position = Math.max(position, lastId);
      yield { resumeAt: position };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvents(parser: ServerSentEventParser, title: string, text: string): readonly ServerSentEvent[] {
  try {
    return parser.push(text);
  } catch (error) {
    throw new UnexpectedResponse(title, 'the event stream is malformed', { cause: error });
  }
}

async function readWithin(reader: Reader, idleTimeoutMs: number): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamCut(`no data received for ${idleTimeoutMs} ms`)), idleTimeoutMs);
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

function parseData<Value>(title: string, data: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(JSON.parse(data));
  } catch (error) {
    throw new UnexpectedResponse(title, 'an event of the stream is malformed', { cause: error });
  }
}

/** Whether an error can be caused by a restart of the server. Any other error would recur. */
function isTransient(error: unknown): boolean {
  if (error instanceof StreamCut || error instanceof ServerUnreachable || error instanceof RequestTimedOut) return true;
  return error instanceof RequestRefused ? error.status >= 500 || error.status === 429 : false;
}
