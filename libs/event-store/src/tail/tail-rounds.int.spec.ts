import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPool } from '../database/pool.js';
import { EventStore } from '../event-store.js';
import { appendTo, waitUntil, createStreamId, useTestDatabase } from '../testing/store.fixture.js';
import { Subscription } from './subscription.js';
import type { SubscriptionOptions } from './subscription-options.js';
import { getTailRounds } from './tail-rounds.js';
import { listenForWakeups } from '../testing/listen.fixture.js';

const pools = useTestDatabase();
/** Longer than the spec runs. */
const NEVER_MS = 3_600_000;
let store: EventStore;
let name: string;
let names = 0;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(() => {
  store = new EventStore(pools.service);
});
beforeEach(() => {
  name = `rounds-${(names += 1)}`;
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

/** Simulates a process: a pool, and subscriptions that use it. */
function startProcess() {
  const pool = createPool(pools.database.serviceUrl);
  cleanups.push(() => pool.end());
  let statements = 0;
  pool.on('acquire', () => (statements += 1));
  const subscribe = async (options: Partial<SubscriptionOptions> = {}): Promise<Subscription> => {
    const reader = new Subscription(pool, { name, handle: async () => undefined, ...options } as SubscriptionOptions);
    cleanups.push(() => reader.close());
    await reader.start();
    return reader;
  };
  return { pool, subscribe, statements: () => statements };
}

it('one statement per round renews the leases of all subscriptions of a process', async () => {
  const { pool, subscribe, statements } = startProcess();
  for (const number of [1, 2, 3, 4, 5]) await subscribe({ name: `${name}-${number}`, pollMs: NEVER_MS });
  // Each subscription reads once when it starts.
  await sleep(300);
  const before = statements();
  const { rows } = await pools.owner.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const countRenewed = async (): Promise<number> => {
    const result = await pools.owner.query<{ n: string }>(
      `SELECT count(*) AS n FROM phaseline.subscriptions WHERE name LIKE $1 AND updated_at > $2::timestamptz + interval '2 seconds'`,
      [`${name}-%`, rows[0]!.at],
    );
    return Number(result.rows[0]!.n);
  };
  await waitUntil(async () => ((await countRenewed()) === 5 * 8 ? true : undefined));
  // Separate renewals would need several statements per second.
  const rounds = statements() - before;
  expect(rounds).toBeGreaterThanOrEqual(2);
  const { rows: now } = await pools.owner.query<{ seconds: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - $1::timestamptz)::float8 AS seconds`,
    [rows[0]!.at],
  );
  expect(rounds).toBeLessThanOrEqual(Math.ceil(now[0]!.seconds) + 1);
  expect(getTailRounds(pool).unchangedSince).toBeDefined();
});

it('a notification alone delivers a control event, and the first event after a pause, without polling', async () => {
  const busyStore = new EventStore(pools.service, { announceAfterMs: Infinity });
  const { subscribe } = startProcess();
  const listener = await listenForWakeups(pools.database.serviceUrl);
  cleanups.push(() => listener.close());
  const handled: string[] = [];
  await subscribe({
    pollMs: NEVER_MS,
    renewalIntervalMs: NEVER_MS,
    leaseMs: 4 * NEVER_MS,
    listener,
    handle: async (events) => void handled.push(...events.map(({ streamId }) => streamId)),
  } as Partial<SubscriptionOptions>);
  await sleep(300);
  await busyStore.append(appendTo(createStreamId()));
  await sleep(500);
  // Nothing polls: an event without a notification is not delivered.
  expect(handled).toEqual([]);
  const control = createStreamId();
  await busyStore.append(appendTo(control, { wake: true }));
  await waitUntil(() => (handled.includes(control) ? true : undefined));
  const first = createStreamId();
  await new EventStore(pools.service).append(appendTo(first));
  await waitUntil(() => (handled.includes(first) ? true : undefined));
});

it('subscriptions do not poll a log at rest, and a round detects an event without a notification and wakes them', async () => {
  const { pool, subscribe, statements } = startProcess();
  const rounds = getTailRounds(pool, 1_000);
  let handled = 0;
  for (const number of [1, 2])
    await subscribe({
      name: `${name}-${number}`,
      pollMs: 50,
      handle: async (events) => void (handled += events.length),
    } as Partial<SubscriptionOptions>);
  await waitUntil(() => rounds.isAtRest() || undefined);
  await sleep(500);
  const [before, handledBefore] = [statements(), handled];
  await sleep(3_000);
  // Polling, two subscriptions would have read 120 times. Rounds are two seconds apart.
  expect(statements() - before).toBeLessThanOrEqual(4);
  const since = rounds.unchangedSince!;
  await store.append(appendTo(createStreamId()));
  await waitUntil(() => (handled - handledBefore === 2 ? true : undefined));
  expect(rounds.isAtRest()).toBe(false);
  await waitUntil(() => ((rounds.unchangedSince ?? 0) > since ? true : undefined));
});

it('unchangedSince is undefined while an open transaction may add an event before the newest one', async () => {
  const { pool, subscribe } = startProcess();
  const reader = await subscribe({ pollMs: 20 });
  const open = await pools.owner.connect();
  try {
    await open.query('BEGIN');
    await open.query('SELECT pg_current_xact_id()');
    await store.append(appendTo(createStreamId()));
    await waitUntil(() => (getTailRounds(pool).unchangedSince === undefined ? true : undefined));
    await sleep(2_500);
    expect(getTailRounds(pool).unchangedSince).toBeUndefined();
  } finally {
    await open.query('ROLLBACK');
    open.release();
  }
  await waitUntil(() => (getTailRounds(pool).unchangedSince === undefined ? undefined : true));
  await reader.close();
});

it('a paused replica releases its partitions to others, and gets its share back afterwards', async () => {
  let isPaused = false;
  const first = await startProcess().subscribe({ replicaId: 'first', isPaused: () => isPaused });
  const second = await startProcess().subscribe({ replicaId: 'second' });
  const heldCounts = (): string => [first.held.length, second.held.length].join();
  await waitUntil(() => (heldCounts() === '4,4' ? true : undefined));
  isPaused = true;
  await waitUntil(() => (heldCounts() === '0,8' ? true : undefined));
  isPaused = false;
  await waitUntil(() => (heldCounts() === '4,4' ? true : undefined));
});
