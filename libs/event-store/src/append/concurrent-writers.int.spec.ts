import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../chain/verify-chain.js';
import { EventStore } from '../event-store.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { cutConnections, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { WrongExpectedVersion } from './append-errors.js';
import type { StreamAppend } from './append-types.js';

const pools = useTestDatabase();

describe('eight writers with four stores on few streams', () => {
  it('leave no gaps and no duplicates, with positions in commit order', async () => {
    const jobs = [randomUUID(), randomUUID(), randomUUID()];
    const streamsOf = (job: string): string[] => [`job-${job}`, `phase-${job}-1`, `phase-${job}-2`];
    const stores = Array.from({ length: 4 }, () => new EventStore(pools.service, { lanes: 2 }));
    const acknowledged: string[] = [];
    let conflicts = 0;

    const write = async (store: EventStore): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        const job = jobs[randomInt(jobs.length)] as string;
        const streams = streamsOf(job).filter(() => randomInt(2) === 1);
        if (streams.length === 0) continue;
        const appends: StreamAppend[] = [];
        for (const streamId of streams) {
          const expectedVersion = randomInt(2) ? 'any' : ((await store.head(streamId))?.version ?? 0);
          appends.push({
            streamId,
            correlationId: job,
            expectedVersion,
            events: Array.from({ length: 1 + randomInt(3) }, () => newEvent()),
          });
        }
        try {
          const results = await store.append(appends);
          acknowledged.push(...appends.flatMap((append) => append.events.map((event) => event.eventId)));
          // Retry as if a queue had delivered the message twice.
          if (randomInt(4) === 0)
            expect(await store.append(appends)).toEqual(results.map((result) => ({ ...result, alreadyDone: true })));
        } catch (error) {
          if (!(error instanceof WrongExpectedVersion)) throw error;
          conflicts += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => write(stores[n % 4] as EventStore)));

    const store = stores[0] as EventStore;
    const all: RecordedEvent[] = [];
    for (const job of jobs) {
      for (const streamId of streamsOf(job)) {
        const events = await store.read(streamId);
        expect(events.map((event) => event.version)).toEqual(events.map((_, index) => index + 1));
      }
      const events = await store.readCorrelation(job);
      all.push(...events);
      const transactions = events.map((event) => BigInt(event.transactionId));
      expect(transactions).toEqual([...transactions].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }
    expect(conflicts).toBeGreaterThan(0);
    expect(all.map((event) => event.eventId).sort()).toEqual([...acknowledged].sort());
    expect(await verifyChain(pools.service)).toMatchObject({ problems: [], events: all.length });
  });
});

describe('an open transaction', () => {
  it('blocks the next append of its correlation, so that no reader sees the later position first', async () => {
    const store = new EventStore(pools.service);
    const job = randomUUID();
    const client = await pools.service.connect();
    await client.query('BEGIN');
    await store.appendWithin(client, {
      streamId: `job-${job}`,
      correlationId: job,
      expectedVersion: 0,
      events: [newEvent()],
    });
    let done = false;
    const second = store
      .append({ streamId: `phase-${job}-1`, correlationId: job, expectedVersion: 0, events: [newEvent()] })
      .then(() => (done = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(done).toBe(false);
    expect(await store.readCorrelation(job)).toEqual([]);
    await client.query('COMMIT');
    client.release();
    await second;
    expect((await store.readCorrelation(job)).map((event) => event.streamId)).toEqual([`job-${job}`, `phase-${job}-1`]);
  });
});

describe('cut connections', () => {
  it('neither lose nor duplicate an append, because event ids identify it', async () => {
    const store = new EventStore(pools.service, { unreachableRetryMs: 10_000 });
    const job = randomUUID();
    let writing = true;
    let cut = 0;
    const cutter = (async () => {
      while (writing) {
        cut += await cutConnections(pools, 'phaseline', '%phaseline.append%');
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    })();
    try {
      await Promise.all(
        Array.from({ length: 4 }, async (_, writer) => {
          for (let version = 0; version < 50; version += 1) {
            await store.append({
              streamId: `phase-${job}-${writer}`,
              correlationId: job,
              expectedVersion: version,
              events: [newEvent()],
            });
          }
        }),
      );
    } finally {
      writing = false;
      await cutter;
    }
    expect(cut).toBeGreaterThan(0);
    expect(await store.readCorrelation(job)).toHaveLength(200);
  });
});
