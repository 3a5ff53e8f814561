import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, newEvent, useTestDatabase } from '../testing/store.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
beforeAll(async () => {
  store = new EventStore(pools.service);
  const correlationId = 'job';
  const withTypes = (...types: string[]): object => ({
    correlationId,
    events: types.map((type) => newEvent({ type })),
  });
  await store.append(appendTo('job-1', withTypes('A', 'B')));
  await store.append(appendTo('phase-1', withTypes('C', 'A', 'B')));
  await store.append(appendTo('job-1', withTypes('C')));
  await store.append(appendTo('elsewhere', { correlationId: 'another' }));
});

const versionsOf = (events: readonly { version: number }[]): number[] => events.map((event) => event.version);
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('a stream', () => {
  it('can be read in part and as of a version', async () => {
    expect(versionsOf(await store.read('phase-1', { from: 2 }))).toEqual([2, 3]);
    expect(versionsOf(await store.read('phase-1', { to: 2 }))).toEqual([1, 2]);
    expect(versionsOf(await store.read('phase-1', { from: 2, to: 2 }))).toEqual([2]);
    expect(versionsOf(await store.read('phase-1', { limit: 2 }))).toEqual([1, 2]);
    expect(await store.read('nowhere')).toEqual([]);
    expect((await store.readAt('phase-1', 3))?.type).toBe('B');
    expect(await store.readAt('phase-1', 4)).toBeUndefined();
  });

  it('can be iterated in pages without gaps or duplicates', async () => {
    const events = Array.from({ length: 1_100 }, () => newEvent());
    await store.append(appendTo('long', { events }));
    expect((await collect(store.iterate('long'))).map((event) => event.eventId)).toEqual(
      events.map((event) => event.eventId),
    );
    expect(versionsOf(await collect(store.iterate('long', { from: 499, to: 502 })))).toEqual([499, 500, 501, 502]);
    expect(await collect(store.iterate('long', { limit: 700 }))).toHaveLength(700);
    expect(await collect(store.iterateCorrelation('of-long', { limit: 1_000 }))).toHaveLength(1_000);
    expect((await collect(store.iterateCorrelation('of-long'))).map((event) => event.eventId)).toEqual(
      events.map((event) => event.eventId),
    );
  });
});

describe('concurrent reads of newer events', () => {
  it('return what single reads return, and see what was committed before each of them', async () => {
    await store.append(appendTo('grouped', { events: [newEvent(), newEvent(), newEvent(), newEvent()] }));
    const ranges = [
      ['phase-1', { from: 2, limit: 500 }],
      ['nowhere', { from: 2, limit: 500 }],
      ['grouped', { from: 2, limit: 2 }],
      ['job-1', { from: 3, limit: 500 }],
      ['grouped', { from: 4, limit: 500 }],
    ] as const;
    const single = [];
    for (const [streamId, range] of ranges) single.push(await store.read(streamId, range));
    const query = vi.spyOn(pools.service, 'query');
    onTestFinished(() => query.mockRestore());
    const grouped = await Promise.all(ranges.map(([streamId, range]) => store.read(streamId, range)));
    expect(query).toHaveBeenCalledTimes(1);
    expect(grouped).toEqual(single);
    expect(grouped.map(versionsOf)).toEqual([[2, 3], [], [2, 3], [3], [4]]);
    const running = Promise.all(Array.from({ length: 8 }, () => store.read('grouped', { from: 2, limit: 500 })));
    await store.append(appendTo('grouped', { expectedVersion: 4, events: [newEvent()] }));
    expect(versionsOf(await store.read('grouped', { from: 2, limit: 500 }))).toEqual([2, 3, 4, 5]);
    expect((await running).every((events) => events.length >= 3)).toBe(true);
  });
});

describe('a correlation', () => {
  it('is read in position order across its streams', async () => {
    const events = await store.readCorrelation('job');
    expect(events.map((event) => `${event.streamId}:${event.version}`)).toEqual([
      'job-1:1',
      'job-1:2',
      'phase-1:1',
      'phase-1:2',
      'phase-1:3',
      'job-1:3',
    ]);
    const positions = events.map((event) => event.position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it('can be filtered by position and type, and limited', async () => {
    const events = await store.readCorrelation('job');
    const [second, fourth] = [events[1]!.position, events[3]!.position];
    expect(await store.readCorrelation('job', { after: second, to: fourth })).toEqual(events.slice(2, 4));
    expect((await store.readCorrelation('job', { types: ['A', 'C'] })).map((event) => event.type)).toEqual([
      'A',
      'C',
      'A',
      'C',
    ]);
    expect(await store.readCorrelation('job', { types: ['B'], after: second, limit: 1 })).toEqual([events[4]]);
    expect(await store.readCorrelation('job', { types: [] })).toEqual([]);
  });
});

describe('openStreams', () => {
  it('lists idle streams that are not closed, by prefix and page', async () => {
    for (const streamId of ['guard-1', 'guard-2', 'guard-3', 'guardian-4']) await store.append(appendTo(streamId));
    await store.append(appendTo('guard-2', { closesStream: true }));
    const ids = async (options: object): Promise<string[]> =>
      (await store.openStreams({ idleForMs: 0, limit: 10, ...options })).map((head) => head.streamId);
    expect(await ids({ prefix: 'guard-' })).toEqual(['guard-1', 'guard-3']);
    expect(await ids({ prefix: 'guard', limit: 2 })).toEqual(['guard-1', 'guard-3']);
    expect(await ids({ prefix: 'guard', limit: 2, after: 'guard-3' })).toEqual(['guardian-4']);
    expect(await ids({ prefix: 'guard-', idleForMs: 60_000 })).toEqual([]);
    await pools.owner.query(`UPDATE phaseline.streams SET updated_at = updated_at - interval '1 hour'`);
    await store.append(appendTo('guard-3'));
    expect(await ids({ prefix: 'guard-', idleForMs: 60_000 })).toEqual(['guard-1']);
    expect(await store.openStreams({ idleForMs: 0, limit: 1, prefix: 'guard-1' })).toMatchObject([
      { correlationId: 'of-guard-1', version: 1, closed: false },
    ]);
  });
});
