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

/** A log that grows, and how often and from where it was read. */
function scene(...events: RecordedEvent[]) {
  const reads: number[] = [];
  const wakes = new JobWakes();
  const parts = {
    wakes,
    times: { shortestPoll: 1, longestPoll: 10_000, keepAlive: 60_000 },
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

async function all(stream: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

const ids = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('a stream of events', () => {
  it('gives every event once and in order, also over many pages, and then the end', async () => {
    const { events, open } = scene();
    for (let position = 1; position <= 1_000; position += 1) events.push(recorded(position));
    events.push(recorded(1_001, 'JobCompleted'), recorded(1_002, 'PhaseCancelled'));
    const text = await all(open());
    expect(ids(text)).toEqual(events.map(({ position }) => position));
    expect(text.endsWith('event: end\ndata: {"status":"completed"}\n\n')).toBe(true);
  });

  it('begins behind the position it is given, and ends at once for a job that ended before that', async () => {
    const { open, events } = scene(recorded(1), recorded(2), recorded(3, 'JobFailed'));
    expect(ids(await all(open({ after: 1 })))).toEqual([2, 3]);
    expect(await all(open({ after: events.at(-1)!.position, status: 'failed' }))).toBe(
      ': keep-alive\n\nevent: end\ndata: {"status":"failed"}\n\n',
    );
  });

  it('moves a reader over what its filter left out, and sees the end though the filter hides it', async () => {
    const { open } = scene(recorded(1), recorded(2, 'FileWritten'), recorded(3), recorded(9, 'JobCancelled'));
    const text = await all(open({ types: new Set(['FileWritten']) }));
    expect(ids(text)).toEqual([2, 9]);
    expect(text.match(/^data: /gm)).toHaveLength(2);
    expect(text).toContain('{"status":"cancelled"}');
  });

  it('goes on as soon as it is woken, however long the next look is away', async () => {
    const { open, events, wakes } = scene(recorded(1));
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

  it('does not lose a wake-up that comes while it reads', async () => {
    const { open, events, wakes, parts } = scene();
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
    expect(ids(await all(open()))).toEqual([1]);
  });

  it('reads no further while nobody takes what was read', async () => {
    const { events, open, reads } = scene();
    for (let position = 1; position <= 1_000; position += 1) events.push(recorded(position));
    const stream = open();
    await stream.next();
    await stream.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toEqual([0]);
    await stream.return();
  });

  it('ends when its reader is gone, and nobody waits any more', async () => {
    const { open, abort, wakes } = scene(recorded(1));
    const done = all(open());
    await expect.poll(() => wakes.size).toBe(1);
    abort.abort();
    expect(ids(await done)).toEqual([1]);
    expect(wakes.size).toBe(0);
  });

  it('says now and then that it is alive', async () => {
    const { open, parts, abort } = scene();
    parts.times.keepAlive = 5;
    const stream = open();
    for (let times = 0; times < 3; times += 1) expect((await stream.next()).value).toBe(': keep-alive\n\n');
    abort.abort();
    await stream.return();
  });
});
