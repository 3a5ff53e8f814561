import { encodeLiveEvent, KEEP_ALIVE_COMMENT, type LiveEvent } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { hasRight, type Caller, type Right } from '@phaseline/identity';
import type { EventStreamTimes } from '../events/event-stream.js';
import type { LiveConnection, WaitingEvents } from './live-connection.js';

export interface LiveStreamParts {
  readonly connection: LiveConnection;
  /** Resolves when the connection receives every later change. */
  readonly ready: Promise<void>;
  readonly times: Pick<EventStreamTimes, 'keepAlive' | 'accessCheck'>;
  /** Returns the caller with its present roles; `undefined` if it may no longer read. */
  authenticate(): Promise<Caller | undefined>;
  findTenant(jobId: JobId): Promise<string | undefined>;
}

/**
 * Yields the events of a live connection until the caller may no longer read or `signal` fires. What is sent is filtered by the rights that
 * the caller has then; they are read again before anything is sent, at most once per `accessCheck`.
 */
export async function* liveStream(
  { connection, ready, times, authenticate, findTenant }: LiveStreamParts,
  first: { readonly caller: Caller; readonly hello: LiveEvent },
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let { caller } = first;
  let lastSent = performance.now();
  let lastChecked = performance.now();
  // What the reader reads after `hello` is followed by a hint if it changes.
  await ready;
  yield encodeLiveEvent(first.hello);
  while (!signal.aborted) {
    await connection.wait(Math.max(1, lastSent + times.keepAlive - performance.now()), signal);
    if (signal.aborted) return;
    if (performance.now() - lastChecked >= times.accessCheck) {
      const current = await authenticate();
      if (!current) return;
      caller = current;
      lastChecked = performance.now();
    }
    const events = await selectEvents(connection.take(), caller, findTenant);
    const isSilent = performance.now() - lastSent >= times.keepAlive;
    if (events.length === 0 && !isSilent) continue;
    lastSent = performance.now();
    yield events.length > 0 ? events.map(encodeLiveEvent).join('') : KEEP_ALIVE_COMMENT;
  }
}

/** Returns what the caller may see of what waits. */
async function selectEvents(
  { jobs, answers, hasMissed }: WaitingEvents,
  caller: Caller,
  findTenant: LiveStreamParts['findTenant'],
): Promise<readonly LiveEvent[]> {
  const hasRightTo = async (jobId: JobId, right: Right): Promise<boolean> => {
    const tenant = await findTenant(jobId);
    return tenant !== undefined && hasRight(caller, right, tenant);
  };
  const jobIds: JobId[] = [];
  let mayChangeInbox = false;
  for (const [jobId, change] of jobs) {
    if (await hasRightTo(jobId, 'jobs:read')) jobIds.push(jobId);
    mayChangeInbox ||= change.mayChangeInbox && (await hasRightTo(jobId, 'inbox:read'));
  }
  const events: LiveEvent[] = [];
  if (hasMissed) events.push({ type: 'resynchronise' });
  if (jobIds.length > 0) events.push({ type: 'jobs', jobIds });
  if (mayChangeInbox) events.push({ type: 'inbox' });
  for (const answer of answers) if (await hasRightTo(answer.jobId, 'jobs:read')) events.push(answer);
  return events;
}
