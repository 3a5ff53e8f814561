import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { appendTo, cutConnections, waitUntil, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { readLatestTailPosition, readSubscriptionProgress } from './subscription-progress.js';
import { Subscription } from './subscription.js';
import type { SubscriptionOptions, TransactionHandler } from './subscription-options.js';
import { LeaseLost, PartitionsDiffer } from './tail-errors.js';

const pools = useTestDatabase();
let store: EventStore;
let name: string;
let open: Subscription[] = [];
let names = 0;
beforeAll(async () => {
  store = new EventStore(pools.service);
  await pools.owner.query(
    `CREATE TABLE phaseline.handled (name text, event_id uuid, replica text); GRANT ALL ON phaseline.handled TO phaseline_service`,
  );
});
beforeEach(() => {
  name = `reader-${(names += 1)}`;
});
afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
});

function subscribe(options: Partial<SubscriptionOptions>): Subscription {
  const subscription = new Subscription(pools.service, {
    name,
    pollMs: 20,
    // Renewed at a quarter of this interval. Longer than the pauses of a busy machine.
    leaseMs: 2_000,
    ...options,
  } as SubscriptionOptions);
  open.push(subscription);
  return subscription;
}

/** Returns a handler that inserts every event into a table, so that specs can check for exactly-once delivery. */
const recordAs =
  (replica: string, beforeCommit?: (events: readonly RecordedEvent[]) => Promise<void>): TransactionHandler =>
  async (trx, events) => {
    for (const event of events)
      await sql`INSERT INTO phaseline.handled VALUES (${name}, ${event.eventId}, ${replica})`.execute(trx);
    await beforeCommit?.(events);
  };

async function readHandled(): Promise<string[]> {
  const { rows } = await pools.service.query<{ event_id: string }>(
    'SELECT event_id FROM phaseline.handled WHERE name = $1',
    [name],
  );
  return rows.map((row) => row.event_id).sort();
}
async function readLogged(): Promise<string[]> {
  const { rows } = await pools.service.query<{ event_id: string }>('SELECT event_id FROM phaseline.events');
  return rows.map((row) => row.event_id).sort();
}
const appendEvents = async (streams: number, eventsPerStream: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: streams }, async (_, n) => {
      for (let version = 0; version < eventsPerStream; version += 1)
        await store.append(appendTo(`${name}-${n}`, { events: [newEvent({ data: { version } })] }));
    }),
  );
};
const countHeld = (subscriptions: readonly Subscription[]): number[] =>
  subscriptions.map((one) => one.held.length).sort();
const haveAllPartitions = (subscriptions: readonly Subscription[]): boolean =>
  new Set(subscriptions.flatMap((one) => one.held)).size === 8;

describe('replicas', () => {
  it('share the partitions evenly as they join and leave, and together handle every event once', async () => {
    const replicas = ['a', 'b', 'c', 'd'].map((replica) =>
      subscribe({ replicaId: replica, handleInTransaction: recordAs(replica) }),
    );
    const [a, b, c, d] = replicas as [Subscription, Subscription, Subscription, Subscription];
    await a.start();
    expect(a.held).toHaveLength(8);
    const writing = appendEvents(12, 40);
    await Promise.all([b.start(), c.start()]);
    await waitUntil(() => (countHeld([a, b, c]).join() === '2,3,3' && haveAllPartitions([a, b, c])) || undefined);
    await d.start();
    await waitUntil(() => (countHeld(replicas).join() === '2,2,2,2' && haveAllPartitions(replicas)) || undefined);
    await Promise.all([b.close(), d.close()]);
    await waitUntil(() => (countHeld([a, c]).join() === '4,4' && haveAllPartitions([a, c])) || undefined);
    await writing;
    await waitUntil(async () => ((await readHandled()).length >= (await readLogged()).length ? true : undefined));
    expect(await readHandled()).toEqual(await readLogged());
  });

  it('start without waiting for rows that another replica has locked', async () => {
    await subscribe({ handleInTransaction: recordAs('a') }).start();
    const busy = await pools.service.connect();
    try {
      await busy.query('BEGIN');
      await busy.query('SELECT FROM phaseline.subscriptions WHERE name = $1 FOR UPDATE', [name]);
      await subscribe({ handleInTransaction: recordAs('b') }).start();
    } finally {
      await busy.query('ROLLBACK');
      busy.release();
    }
  });

  it('take over from the checkpoint of a dead replica when its lease expires', async () => {
    await appendEvents(4, 3);
    const dead = subscribe({ replicaId: 'dead', handleInTransaction: recordAs('dead') });
    await dead.start();
    await dead.waitFor(await readLatestTailPosition(pools.owner), 45_000);
    await dead.close();
    // Simulates a killed process: still a member, with leases that have not expired yet.
    await pools.owner.query(
      `UPDATE phaseline.subscriptions SET owner = 'dead', lease_expires_at = now() + interval '1 hour' WHERE name = $1`,
      [name],
    );
    await pools.owner.query(
      `INSERT INTO phaseline.subscription_members VALUES ($1, 'dead', now() + interval '1 hour')`,
      [name],
    );
    await appendEvents(4, 3);
    const successor = subscribe({ replicaId: 'successor', handleInTransaction: recordAs('successor') });
    await successor.start();
    expect(successor.held).toEqual([]);
    await pools.owner.query(`UPDATE phaseline.subscriptions SET lease_expires_at = now() WHERE name = $1`, [name]);
    await pools.owner.query(
      `UPDATE phaseline.subscription_members SET expires_at = now() WHERE name = $1 AND owner = 'dead'`,
      [name],
    );
    await waitUntil(() => successor.held.length === 8 || undefined);
    await successor.waitFor(await readLatestTailPosition(pools.owner), 45_000);
    expect(await readHandled()).toEqual(await readLogged());
  });

  it('cannot commit a page after losing its lease, and the page is handled again once', async () => {
    const gate = Promise.withResolvers<void>();
    const working = Promise.withResolvers<void>();
    const errors: Error[] = [];
    const slow = subscribe({
      replicaId: 'slow',
      partitions: 1,
      leaseMs: 60_000,
      onError: (error) => errors.push(error),
      handleInTransaction: recordAs('slow', async () => {
        working.resolve();
        await gate.promise;
      }),
    });
    await appendEvents(1, 3);
    await slow.start();
    await working.promise;
    await pools.owner.query(
      `UPDATE phaseline.subscriptions SET owner = 'thief', epoch = epoch + 1, lease_expires_at = now() + interval '1 hour' WHERE name = $1`,
      [name],
    );
    gate.resolve();
    await waitUntil(() => errors.some((error) => error instanceof LeaseLost) || undefined);
    expect(await readHandled()).toEqual([]);
    await pools.owner.query(`UPDATE phaseline.subscriptions SET owner = NULL WHERE name = $1`, [name]);
    await waitUntil(async () => ((await readHandled()).length >= (await readLogged()).length ? true : undefined));
    expect(await readHandled()).toEqual(await readLogged());
  });

  it('retry the page of a failed handler in order, while other partitions continue', async () => {
    await appendEvents(8, 5);
    let failures = 0;
    const errors: (number | undefined)[] = [];
    const subscription = subscribe({
      pageSize: 2,
      leaseMs: 60_000,
      onError: (_, partition) => errors.push(partition),
      handleInTransaction: recordAs('a', async (events) => {
        if (events.some((event) => event.streamId === `${name}-3`) && (failures += 1) <= 2)
          throw new Error('handler failed');
      }),
    });
    await subscription.start();
    expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
    expect(await readHandled()).toEqual(await readLogged());
    expect(errors).toHaveLength(2);
    expect(new Set(errors).size).toBe(1);
  });

  it('survive cut connections', async () => {
    const subscription = subscribe({ leaseMs: 5_000, handleInTransaction: recordAs('a') });
    await subscription.start();
    const writing = appendEvents(4, 20);
    let cut = 0;
    for (let round = 0; round < 5; round += 1) {
      cut += await cutConnections(pools, 'phaseline');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await writing;
    expect(cut).toBeGreaterThan(0);
    expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
    expect(await readHandled()).toEqual(await readLogged());
  });
});

describe('close', () => {
  it('waits for the current page and releases all partitions', async () => {
    await appendEvents(1, 1);
    const gate = Promise.withResolvers<void>();
    const working = Promise.withResolvers<AbortSignal>();
    const subscription = subscribe({
      handle: async (_, { signal }) => {
        working.resolve(signal);
        await gate.promise;
      },
    });
    await subscription.start();
    const signal = await working.promise;
    const closing = subscription.close();
    expect(signal.aborted).toBe(true);
    gate.resolve();
    await closing;
    expect((await readSubscriptionProgress(pools.service, name)).map((one) => one.owner)).toEqual(
      Array(8).fill(undefined),
    );
    const { rows } = await pools.service.query('SELECT FROM phaseline.subscription_members WHERE name = $1', [name]);
    expect(rows).toHaveLength(0);
  });

  it('times out if a handler hangs', async () => {
    await appendEvents(1, 1);
    const working = Promise.withResolvers<void>();
    const subscription = subscribe({ handle: () => (working.resolve(), new Promise(() => undefined)) });
    await subscription.start();
    await working.promise;
    await subscription.close(50);
    expect(subscription.held).toEqual([]);
  });
});

describe('a changed number of partitions', () => {
  it('is rejected while a replica runs with the old number, and skips nothing afterwards', async () => {
    await appendEvents(10, 2);
    const old = subscribe({ leaseMs: 60_000, handleInTransaction: recordAs('old') });
    await old.start();
    await old.waitFor(await readLatestTailPosition(pools.owner), 45_000);
    const wider = subscribe({ partitions: 12, handleInTransaction: recordAs('new') });
    await expect(wider.start()).rejects.toBeInstanceOf(PartitionsDiffer);
    await old.close();
    await appendEvents(10, 2);
    await wider.start();
    expect(wider.held).toHaveLength(12);
    await wider.waitFor(await readLatestTailPosition(pools.owner), 45_000);
    expect([...new Set(await readHandled())]).toEqual(await readLogged());
  });
});
