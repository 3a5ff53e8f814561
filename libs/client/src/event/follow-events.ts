import type { JobId } from '@phaseline/contracts';
import { ServerUnreachable } from '../http/client-errors.js';
import { backoffMs, pause } from '../http/pause.js';
import { isTransient, openStream, parseEventData, StreamCut } from '../http/read-stream.js';
import { LAST_EVENT_ID_HEADER, routes } from '../http/routes.js';
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

async function connect(
  transport: Transport,
  jobId: JobId,
  after: number,
  options: FollowOptions & { readonly isFirst: boolean },
): Promise<AsyncGenerator<Progress, StreamEnd, undefined>> {
  const path = routes.jobEvents(jobId);
  const parts = await openStream(
    transport,
    {
      path,
      query: { after, types: options.types },
      headers: { [LAST_EVENT_ID_HEADER]: String(after) },
      signal: options.signal,
      // Reconnects are counted and delayed by the loop in `followEvents`.
      isRepeatable: options.isFirst,
    },
    options.idleTimeoutMs,
  );
  return readEvents(parts, path, after);
}

async function* readEvents(
  parts: Awaited<ReturnType<typeof openStream>>,
  path: string,
  after: number,
): AsyncGenerator<Progress, StreamEnd, undefined> {
  let position = after;
  for await (const { events, lastEventId } of parts) {
    for (const { name, data } of events) {
      if (name === STREAM_END) return parseEventData(path, () => streamEndSchema.parse(JSON.parse(data)));
      if (name !== 'message') continue;
      const record = parseEventData(path, () => eventRecordSchema.parse(JSON.parse(data)));
      position = Math.max(position, record.position);
      yield { record, resumeAt: position };
    }
    const lastId = Number(lastEventId);
    if (Number.isSafeInteger(lastId)) position = Math.max(position, lastId);
    yield { resumeAt: position };
  }
  throw new StreamCut('the stream closed before the end of the job');
}
