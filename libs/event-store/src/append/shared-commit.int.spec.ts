import { describe, expect, it } from 'vitest';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import { appendTo, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { StreamClosed, WrongExpectedVersion } from './append-errors.js';

const pools = useTestDatabase();

/** Returns the transaction ids of all events of these streams: one per commit. Calls of one tick share a commit. */
async function transactionIds(store: EventStore, streamIds: readonly string[]): Promise<Set<string>> {
  const events = await Promise.all(streamIds.map((streamId) => store.read(streamId)));
  return new Set(events.flat().map((event) => event.transactionId));
}

describe('appends that share a commit', () => {
  it('each have their own outcome', async () => {
    const store = new EventStore(pools.service, { lanes: 1 });
    const [good, wrong, closed, also] = [createStreamId(), createStreamId(), createStreamId(), createStreamId()];
    await store.append(appendTo(closed, { closesStream: true }));
    const [first, second, third, fourth] = await Promise.allSettled([
      store.append(appendTo(good)),
      store.append([
        appendTo(wrong, { correlationId: 'j', expectedVersion: 3 }),
        appendTo(createStreamId(), { correlationId: 'j' }),
      ]),
      store.append(appendTo(closed)),
      store.append(appendTo(also, { events: [newEvent(), newEvent()] })),
    ]);
    expect(first).toMatchObject({ status: 'fulfilled', value: [{ streamId: good, version: 1 }] });
    expect(second).toMatchObject({ reason: expect.any(WrongExpectedVersion) as unknown });
    expect(third).toMatchObject({ reason: expect.any(StreamClosed) as unknown });
    expect(fourth).toMatchObject({ status: 'fulfilled', value: [{ streamId: also, version: 2 }] });
    expect((await transactionIds(store, [good, also])).size).toBe(1);
  });

  it.each(['rejected', 'already done'])('are stored correctly after one that is %s', async (how) => {
    const store = new EventStore(pools.service, { lanes: 1 });
    const streams = [createStreamId(), createStreamId(), createStreamId()] as const;
    const [first, second, third] = streams;
    // Streams of increasing length, so that an event appended to the wrong stream would find its version free.
    const before = appendTo(first, { events: [newEvent(), newEvent()] });
    await store.append(before);
    await store.append(appendTo(second, { events: Array.from({ length: 5 }, () => newEvent()) }));
    await store.append(appendTo(third, { events: Array.from({ length: 9 }, () => newEvent()) }));
    const events = ['One', 'Two', 'Three'].map((type) => newEvent({ type }));
    const outcomes = await Promise.allSettled([
      store.append(how === 'rejected' ? appendTo(first, { expectedVersion: 7 }) : before),
      store.append(appendTo(second, { events: events.slice(0, 2) })),
      store.append(appendTo(third, { events: events.slice(2) })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      how === 'rejected' ? 'rejected' : 'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await store.read(first)).toHaveLength(2);
    const written = [...(await store.read(second, { from: 6 })), ...(await store.read(third, { from: 10 }))];
    expect(written).toMatchObject([
      { streamId: second, version: 6, type: 'One', eventId: events[0]!.eventId },
      { streamId: second, version: 7, type: 'Two', eventId: events[1]!.eventId },
      { streamId: third, version: 10, type: 'Three', eventId: events[2]!.eventId },
    ]);
    expect(new Set(written.map(({ transactionId }) => transactionId)).size).toBe(1);
    // The heads were updated as well: the next appends succeed.
    for (const [at, expectedVersion] of [2, 7, 10].entries())
      await store.append(appendTo(streams[at]!, { expectedVersion }));
    for (const streamId of streams)
      expect(await verifyChain(pools.service, { correlationId: `of-${streamId}` })).toMatchObject({ problemCount: 0 });
  });

  it('can target the same stream: each sees the effects of earlier ones', async () => {
    const store = new EventStore(pools.service, { lanes: 1 });
    const streamId = createStreamId();
    const outcomes = await Promise.allSettled(
      [0, 1, 1, 2, 'any' as const].map((expectedVersion) => store.append(appendTo(streamId, { expectedVersion }))),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(outcomes[2]).toMatchObject({ reason: { actual: 2 } });
    expect((await transactionIds(store, [streamId])).size).toBe(1);
  });

  it('are split before a repeated append, which waits for the next commit', async () => {
    const store = new EventStore(pools.service, { lanes: 1 });
    const [before, repeated, after, last] = [createStreamId(), createStreamId(), createStreamId(), createStreamId()];
    const twice = appendTo(repeated);
    const [, first, second] = await Promise.all([
      store.append(appendTo(before)),
      store.append(twice),
      store.append(twice),
      store.append(appendTo(after)),
      store.append(appendTo(last)),
    ]);
    expect(first).toMatchObject([{ version: 1, alreadyDone: false }]);
    expect(second).toEqual([{ ...first[0], alreadyDone: true }]);
    // Exactly two commits: in a single one the database would reject both copies, and each would be retried alone.
    expect((await transactionIds(store, [before, repeated])).size).toBe(1);
    expect((await transactionIds(store, [after, last])).size).toBe(1);
    expect((await transactionIds(store, [before, after])).size).toBe(2);
  });

  it('succeed even if the database rejects one of them with an unexpected error', async () => {
    const store = new EventStore(pools.service, { lanes: 1 });
    const streamIds = [createStreamId(), createStreamId()];
    // Simulates an error that validation does not anticipate.
    await pools.owner.query(`ALTER TABLE phaseline.events ADD CONSTRAINT unforeseen CHECK (type <> 'Unforeseen')`);
    const [first, bad, last] = await Promise.allSettled([
      store.append(appendTo(streamIds[0] as string)),
      store.append(appendTo(createStreamId(), { events: [newEvent({ type: 'Unforeseen' })] })),
      store.append(appendTo(streamIds[1] as string)),
    ]);
    expect([first.status, bad.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(bad).toMatchObject({ reason: { code: '23514' } });
  });

  it('respect the limits, and a unit above the size limit is committed alone', async () => {
    const store = new EventStore(pools.service, { lanes: 1, maxUnits: 3, maxBytes: 1_000 });
    const small = Array.from({ length: 6 }, createStreamId);
    const large = createStreamId();
    await Promise.all([
      ...small.map((streamId) => store.append(appendTo(streamId))),
      store.append(appendTo(large, { events: [newEvent({ data: { text: 'x'.repeat(5_000) } })] })),
    ]);
    expect((await transactionIds(store, small)).size).toBe(2);
    expect((await transactionIds(store, [...small, large])).size).toBe(3);
  });
});
