import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { appendTo, cutConnections, eventually, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { latestHorizon, subscriptionProgress } from './horizon.js';
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
    // Looked after four times as often, and longer than a busy machine stands still.
    leaseMs: 2_000,
    ...options,
  } as SubscriptionOptions);
  open.push(subscription);
  return subscription;
}

/** Writes down every event it is given, so that the table shows what happened exactly once and what did not. */
const recordAs =
  (replica: string, before?: (events: readonly RecordedEvent[]) => Promise<void>): TransactionHandler =>
  async (trx, events) => {
    for (const event of events)
      await sql`INSERT INTO phaseline.handled VALUES (${name}, ${event.eventId}, ${replica})`.execute(trx);
    await before?.(events);
  };

async function handled(): Promise<string[]> {
  const { rows } = await pools.service.query<{ event_id: string }>(
    'SELECT event_id FROM phaseline.handled WHERE name = $1',
    [name],
  );
  return rows.map((row) => row.event_id).sort();
}
async function logged(): Promise<string[]> {
  const { rows } = await pools.service.query<{ event_id: string }>('SELECT event_id FROM phaseline.events');
  return rows.map((row) => row.event_id).sort();
}
const write = async (streams: number, each: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: streams }, async (_, n) => {
      for (let version = 0; version < each; version += 1)
        await store.append(appendTo(`${name}-${n}`, { events: [newEvent({ data: { version } })] }));
    }),
  );
};
const shares = (subscriptions: readonly Subscription[]): number[] => subscriptions.map((one) => one.held.length).sort();
const disjoint = (subscriptions: readonly Subscription[]): boolean =>
  new Set(subscriptions.flatMap((one) => one.held)).size === 8;

describe('replicas', () => {
  it('share the partitions fairly as they come and go, and together handle everything once', async () => {
    const replicas = ['a', 'b', 'c', 'd'].map((replica) =>
      subscribe({ replicaId: replica, handleInTransaction: recordAs(replica) }),
    );
    const [a, b, c, d] = replicas as [Subscription, Subscription, Subscription, Subscription];
    await a.start();
    expect(a.held).toHaveLength(8);
    const writing = write(12, 40);
    await Promise.all([b.start(), c.start()]);
    await eventually(() => (shares([a, b, c]).join() === '2,3,3' && disjoint([a, b, c])) || undefined);
    await d.start();
    await eventually(() => (shares(replicas).join() === '2,2,2,2' && disjoint(replicas)) || undefined);
    await Promise.all([b.close(), d.close()]);
    await eventually(() => (shares([a, c]).join() === '4,4' && disjoint([a, c])) || undefined);
    await writing;
    await eventually(async () => ((await handled()).length >= (await logged()).length ? true : undefined));
    expect(await handled()).toEqual(await logged());
  });

  it('one that starts waits for no row that another one works on', async () => {
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

  it('take over from one that died, from its checkpoint, when its lease has run out', async () => {
    await write(4, 3);
    const dead = subscribe({ replicaId: 'dead', handleInTransaction: recordAs('dead') });
    await dead.start();
    await dead.waitFor(await latestHorizon(pools.owner), 45_000);
    await dead.close();
    // As a process leaves it that was killed: still a member, still the holder, for a while.
    await pools.owner.query(
      `UPDATE phaseline.subscriptions SET owner = 'dead', lease_expires_at = now() + interval '1 hour' WHERE name = $1`,
      [name],
    );
    await pools.owner.query(
      `INSERT INTO phaseline.subscription_members VALUES ($1, 'dead', now() + interval '1 hour')`,
      [name],
    );
    await write(4, 3);
    const heir = subscribe({ replicaId: 'heir', handleInTransaction: recordAs('heir') });
    await heir.start();
    expect(heir.held).toEqual([]);
    await pools.owner.query(`UPDATE phaseline.subscriptions SET lease_expires_at = now() WHERE name = $1`, [name]);
    await pools.owner.query(
      `UPDATE phaseline.subscription_members SET expires_at = now() WHERE name = $1 AND owner = 'dead'`,
      [name],
    );
    await eventually(() => heir.held.length === 8 || undefined);
    await heir.waitFor(await latestHorizon(pools.owner), 45_000);
    expect(await handled()).toEqual(await logged());
  });

  it('one that was taken over while it worked cannot commit, and what it did is done again once', async () => {
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
    await write(1, 3);
    await slow.start();
    await working.promise;
    await pools.owner.query(
      `UPDATE phaseline.subscriptions SET owner = 'thief', epoch = epoch + 1, lease_expires_at = now() + interval '1 hour' WHERE name = $1`,
      [name],
    );
    gate.resolve();
    await eventually(() => errors.some((error) => error instanceof LeaseLost) || undefined);
    expect(await handled()).toEqual([]);
    await pools.owner.query(`UPDATE phaseline.subscriptions SET owner = NULL WHERE name = $1`, [name]);
    await eventually(async () => ((await handled()).length >= (await logged()).length ? true : undefined));
    expect(await handled()).toEqual(await logged());
  });

  it('a handler that fails is given the same page again, in order, while other partitions go on', async () => {
    await write(8, 5);
    let failures = 0;
    const errors: (number | undefined)[] = [];
    const subscription = subscribe({
      pageSize: 2,
      leaseMs: 60_000,
      onError: (_, partition) => errors.push(partition),
      handleInTransaction: recordAs('a', async (events) => {
        if (events.some((event) => event.streamId === `${name}-3`) && (failures += 1) <= 2)
          throw new Error('not today');
      }),
    });
    await subscription.start();
    expect(await subscription.waitFor(await latestHorizon(pools.owner), 45_000)).toBe(true);
    expect(await handled()).toEqual(await logged());
    expect(errors).toHaveLength(2);
    expect(new Set(errors).size).toBe(1);
  });

  it('survive that their connections are cut', async () => {
    const subscription = subscribe({ leaseMs: 5_000, handleInTransaction: recordAs('a') });
    await subscription.start();
    const writing = write(4, 20);
    let cut = 0;
    for (let round = 0; round < 5; round += 1) {
      cut += await cutConnections(pools, 'phaseline');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await writing;
    expect(cut).toBeGreaterThan(0);
    expect(await subscription.waitFor(await latestHorizon(pools.owner), 45_000)).toBe(true);
    expect(await handled()).toEqual(await logged());
  });
});

describe('closing', () => {
  it('waits for the page at hand and then gives everything back', async () => {
    await write(1, 1);
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
    expect((await subscriptionProgress(pools.service, name)).map((one) => one.owner)).toEqual(Array(8).fill(undefined));
    const { rows } = await pools.service.query('SELECT FROM phaseline.subscription_members WHERE name = $1', [name]);
    expect(rows).toHaveLength(0);
  });

  it('does not wait for ever for a handler that hangs', async () => {
    await write(1, 1);
    const working = Promise.withResolvers<void>();
    const subscription = subscribe({ handle: () => (working.resolve(), new Promise(() => undefined)) });
    await subscription.start();
    await working.promise;
    await subscription.close(50);
    expect(subscription.held).toEqual([]);
  });
});

describe('another number of partitions', () => {
  it('is refused while somebody reads with the old one, and afterwards leaves nothing out', async () => {
    await write(10, 2);
    const old = subscribe({ leaseMs: 60_000, handleInTransaction: recordAs('old') });
    await old.start();
    await old.waitFor(await latestHorizon(pools.owner), 45_000);
    const wider = subscribe({ partitions: 12, handleInTransaction: recordAs('new') });
    await expect(wider.start()).rejects.toBeInstanceOf(PartitionsDiffer);
    await old.close();
    await write(10, 2);
    await wider.start();
    expect(wider.held).toHaveLength(12);
    await wider.waitFor(await latestHorizon(pools.owner), 45_000);
    expect([...new Set(await handled())]).toEqual(await logged());
  });
});
