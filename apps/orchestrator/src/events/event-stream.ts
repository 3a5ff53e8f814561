import { encodeEventRecord, encodePosition, encodeStreamEnd, KEEP_ALIVE_COMMENT } from '@phaseline/client';
import { isEnded, type JobStatus, type JobId } from '@phaseline/contracts';
import { jobEndTypes } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { JobWakes } from './job-wakes.js';
import { toEventRecord } from './to-event-record.js';

export interface EventStreamParts {
  /** Reads events of a job after a position, in order; fewer than `limit` only when there are no more. */
  read(jobId: JobId, after: number, limit: number): Promise<readonly RecordedEvent[]>;
  readonly wakes: JobWakes;
  readonly times: EventStreamTimes;
  /** Whether the reader may still read: its key may have been revoked, and its roles may have changed. */
  mayRead(): Promise<boolean>;
}

/** Intervals of an event stream, in milliseconds. */
export interface EventStreamTimes {
  /** First polling interval after events; it doubles while there are none. */
  readonly shortestPoll: number;
  readonly longestPoll: number;
  readonly keepAlive: number;
  /** Interval between checks of whether the reader may still read. */
  readonly accessCheck: number;
}

export interface EventStreamRequest {
  readonly jobId: JobId;
  /** Status of the job before the stream started. */
  readonly status: JobStatus;
  readonly after: number;
  readonly types: ReadonlySet<string> | undefined;
}

const PAGE_EVENTS = 200;

const endStatus: Readonly<Record<(typeof jobEndTypes)[number], JobStatus>> = {
  JobCompleted: 'completed',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
};

/** The status with which an event ends the job, or with which it reopens an ended job; `undefined` for any other event. */
function readStatus(type: string, { end }: Readonly<Record<string, unknown>>): JobStatus | undefined {
  if (type === 'JobRetried') return 'running';
  if (type === 'JobFailed' && (end === 'blocked' || end === 'aborted')) return end;
  return endStatus[type as keyof typeof endStatus];
}

/**
 * Yields the events of a job as server-sent events, from a position on until the job has ended, the reader may no longer
 * read, or `signal` fires. It reads no further than its reader consumes: the next page is read once the previous one is consumed.
 */
export async function* eventStream(
  parts: EventStreamParts,
  request: EventStreamRequest,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const { times, wakes } = parts;
  const { jobId, types } = request;
  using wake = wakes.listen(jobId);
  let { after, status } = request;
  let poll = times.shortestPoll;
  let lastSent = performance.now();
  let lastChecked = performance.now();
  // Send a comment immediately, so that the reader and every proxy in between see that the stream is open.
  yield KEEP_ALIVE_COMMENT;
  while (!signal.aborted) {
    const page = await parts.read(jobId, after, PAGE_EVENTS);
    // Without the event "end" a client connects again, and the response then says why it may not read.
    if (performance.now() - lastChecked >= times.accessCheck) {
      if (!(await parts.mayRead())) return;
      lastChecked = performance.now();
    }
    const text = page
      .filter(({ type }) => types?.has(type) ?? true)
      .map((event) => encodeEventRecord(toEventRecord(event)));
    const last = page.at(-1);
    if (last) {
      after = last.position;
      poll = times.shortestPoll;
      // Readers must also resume after events that their filter removed.
      if (types && !types.has(last.type)) text.push(encodePosition(after));
    }
    for (const { type, data } of page) status = readStatus(type, data) ?? status;
    if (text.length > 0) {
      lastSent = performance.now();
      yield text.join('');
    }
    if (page.length === PAGE_EVENTS) continue;
    if (isEnded(status)) {
      yield encodeStreamEnd({ status });
      return;
    }
    if (performance.now() - lastSent >= times.keepAlive) {
      lastSent = performance.now();
      yield KEEP_ALIVE_COMMENT;
    }
    await wake.wait(Math.min(poll, Math.max(1, lastSent + times.keepAlive - performance.now())), signal);
    poll = Math.min(poll * 2, times.longestPoll);
  }
}
