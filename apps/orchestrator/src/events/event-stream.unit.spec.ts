import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '@phaseline/event-store';
import { eventStream, type EventStreamRequest } from './event-stream.js';
import { JobWakes } from './job-wakes.js';

const jobId = randomUUID();

function recorded(position: number, type = 'TodoCompleted'): RecordedEvent {
  return {
    position,
    streamId: `job-${jobId}`,
    version: position,
    eventId: randomUUID(),
    type,
    schemaVersion: 1,
    data: { text: 'line\nbreak' },
    metadata: {},
    recordedAt: '2030-01-01T00:00:00.000000Z',
    correlationId: jobId,
    transactionId: '1',
    hash: '',
  };
}

/** Creates a growing log that records from which positions it was read. */
function createLog(...events: RecordedEvent[]) {
  const reads: number[] = [];
  const wakes = new JobWakes();
  const parts = {
    wakes,
    times: { shortestPoll: 1, longestPoll: 10_000, keepAlive: 60_000, accessCheck: 60_000 },
    mayRead: async () => true,
    read: async (_jobId: string, after: number, limit: number) => {
      reads.push(after);
      return events.filter(({ position }) => position > after).slice(0, limit);
    },
  };
  const abort = new AbortController();
  const open = (request: Partial<EventStreamRequest> = {}) =>
    eventStream(parts, { jobId, status: 'running', after: 0, types: undefined, ...request }, abort.signal);
  return { events, reads, parts, wakes, abort, open };
}

async function readAll(stream: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

const ids = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('a stream of events', () => {
  it('yields every event once and in order, across pages, and then the end', async () => {
    const { events, open } = createLog();
    for (let position = 1; position <= 1_000; position += 1) events.push(recorded(position));
    events.push(recorded(1_001, 'JobCompleted'), recorded(1_002, 'PhaseCancelled'));
    const text = await readAll(open());
    expect(ids(text)).toEqual(events.map(({ position }) => position));
    expect(text.endsWith('event: end\ndata: {"status":"completed"}\n\n')).toBe(true);
  });

  it('starts after the given position, and ends immediately for a job that ended before it', async () => {
    const { open, events } = createLog(recorded(1), recorded(2), recorded(3, 'JobFailed'));
    expect(ids(await readAll(open({ after: 1 })))).toEqual([2, 3]);
    expect(await readAll(open({ after: events.at(-1)!.position, status: 'failed' }))).toBe(
      ': keep-alive\n\nevent: end\ndata: {"status":"failed"}\n\n',
    );
  });

  it.each([
    [undefined, 'failed'],
    ['blocked', 'blocked'],
    ['aborted', 'aborted'],
  ])('ends with the status of a job that failed with the end %s', async (end, status) => {
    const { open } = createLog({ ...recorded(1, 'JobFailed'), data: { code: 'x', message: 'y', ...(end && { end }) } });
    expect((await readAll(open())).endsWith(`event: end\ndata: {"status":"${status}"}\n\n`)).toBe(true);
  });

  it('does not end at an end after which the job was retried', async () => {
    const { open } = createLog(recorded(1, 'JobFailed'), recorded(2, 'JobRetried'), recorded(3, 'JobCompleted'));
    const text = await readAll(open());
    expect(ids(text)).toEqual([1, 2, 3]);
    expect(text.endsWith('event: end\ndata: {"status":"completed"}\n\n')).toBe(true);
    const { open: openRunning, abort, parts } = createLog(recorded(1, 'JobFailed'), recorded(2, 'JobRetried'));
    parts.times.shortestPoll = 60_000;
    const stream = openRunning();
    await stream.next();
    expect(ids((await stream.next()).value ?? '')).toEqual([1, 2]);
    const next = stream.next();
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('advances a reader past filtered events, and ends although the filter hides the end', async () => {
    const { open } = createLog(recorded(1), recorded(2, 'FileWritten'), recorded(3), recorded(9, 'JobCancelled'));
    const text = await readAll(open({ types: new Set(['FileWritten']) }));
    expect(ids(text)).toEqual([2, 9]);
    expect(text.match(/^data: /gm)).toHaveLength(2);
    expect(text).toContain('{"status":"cancelled"}');
  });

  it('continues as soon as it is woken, however long the polling interval is', async () => {
    const { open, events, wakes } = createLog(recorded(1));
    const stream = open();
    expect((await stream.next()).value).toContain('keep-alive');
    expect(ids((await stream.next()).value!)).toEqual([1]);
    const next = stream.next();
    // Let the pauses grow until only a wake-up can end the wait in the time of a test.
    await new Promise((resolve) => setTimeout(resolve, 50));
    events.push(recorded(2));
    wakes.wake('another job');
    wakes.wake(jobId);
    expect(ids((await next).value!)).toEqual([2]);
    await stream.return();
  });

  it('does not lose a wake-up during a read', async () => {
    const { open, events, wakes, parts } = createLog();
    const read = parts.read;
    parts.times.shortestPoll = 10_000;
    let first = true;
    parts.read = async (...args) => {
      const page = await read(...args);
      if (first) {
        first = false;
        events.push(recorded(1, 'JobCompleted'));
        wakes.wake(jobId);
      }
      return page;
    };
    expect(ids(await readAll(open()))).toEqual([1]);
  });

  it('reads no further while the reader does not consume', async () => {
    const { events, open, reads } = createLog();
    for (let position = 1; position <= 1_000; position += 1) events.push(recorded(position));
    const stream = open();
    await stream.next();
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toEqual([0]);
    await stream.return();
  });

  it('ends when its reader disconnects, and stops waiting', async () => {
    const { open, abort, wakes } = createLog(recorded(1));
    const done = readAll(open());
    await expect.poll(() => wakes.size).toBe(1);
    abort.abort();
    expect(ids(await done)).toEqual([1]);
    expect(wakes.size).toBe(0);
  });

  it('ends without the end of the job, and without further events, when the reader may no longer read', async () => {
    const { open, events, parts, wakes } = createLog(recorded(1));
    parts.times.accessCheck = 0;
    const stream = open();
    await stream.next();
    expect(ids((await stream.next()).value!)).toEqual([1]);
    parts.mayRead = async () => false;
    events.push(recorded(2));
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(wakes.size).toBe(0);
  });

  it('sends keep-alive comments', async () => {
    const { open, parts, abort } = createLog();
    parts.times.keepAlive = 5;
    const stream = open();
    for (let times = 0; times < 3; times += 1) expect((await stream.next()).value).toBe(': keep-alive\n\n');
    abort.abort();
    await stream.return();
  });
});
