import type { JobId } from '@phaseline/contracts';
import { pause } from '../http/pause.js';
import { isTransient, openStream, parseEventData, StreamCut } from '../http/read-stream.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { parseLiveEvent, type LiveEvent } from './live-event.js';

export interface LiveOptions {
  /** Jobs whose answers are sent while models write them; at most 20. To watch others, abort and call again. */
  readonly watch?: readonly JobId[];
  readonly signal?: AbortSignal;
  /** Time without data after which a connection is considered dead. Servers send something every 15 seconds. Default 45,000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds before a reconnect, from the number of failures in a row. By default random, from 250 to 10,000. */
  readonly backoff?: (failures: number) => number;
}

/**
 * Yields live events, and reconnects for as long as it takes when a connection is lost. After a reconnect it yields `resynchronise` after
 * `hello`, because hints were missed meanwhile. Uses `fetch` alone, so it runs in a page and in a worker. Throws a PhaselineClientError that
 * would recur, such as Unauthorized, or the signal's reason.
 */
export async function* followLive(
  transport: Transport,
  { watch = [], signal, idleTimeoutMs, backoff = chooseBackoffMs }: LiveOptions = {},
): AsyncGenerator<LiveEvent, never, undefined> {
  const path = routes.live();
  let failures = 0;
  let hasConnected = false;
  for (;;) {
    try {
      const request = { path, query: { watch }, signal, isRepeatable: false };
      for await (const { events } of await openStream(transport, request, idleTimeoutMs)) {
        failures = 0;
        for (const { name, data } of events) {
          const event = parseEventData(path, () => parseLiveEvent(name, data));
          if (event) yield event;
          if (event?.type !== 'hello') continue;
          if (hasConnected) yield { type: 'resynchronise' };
          hasConnected = true;
        }
      }
      throw new StreamCut('the stream closed');
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error)) throw error;
      failures += 1;
      await pause(backoff(failures), signal);
    }
  }
}

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;

/** Random, so that the browsers of a server that restarts do not connect at the same moment; the limit grows with the failures. */
function chooseBackoffMs(failures: number): number {
  const limit = Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** Math.min(failures, 5));
  return MIN_BACKOFF_MS + Math.random() * (limit - MIN_BACKOFF_MS);
}
