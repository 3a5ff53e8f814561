import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPool } from '../database/pool.js';
import { EventStore } from '../event-store.js';
import { appendTo, eventually, freshStream, useTestDatabase } from '../testing/store.fixture.js';
import { Subscription } from './subscription.js';
import type { SubscriptionOptions } from './subscription-options.js';
import { tailRounds } from './tail-rounds.js';
import { listenForWakeups } from '../testing/listen.fixture.js';

const pools = useTestDatabase();
/** Longer than the spec. */
const NEVER_MS = 3_600_000;
let store: EventStore;
let name: string;
let names = 0;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(() => {
  store = new EventStore(pools.service);
});
beforeEach(() => {
  name = `rounds-${(names += 1)}`;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A process: its pool, and readers over it. */
function startProcess() {
  const pool = createPool(pools.database.serviceUrl);
  ends.push(() => pool.end());
  let statements = 0;
  pool.on('acquire', () => (statements += 1));
  const read = async (options: Partial<SubscriptionOptions> = {}): Promise<Subscription> => {
    const reader = new Subscription(pool, { name, handle: async () => undefined, ...options } as SubscriptionOptions);
    ends.push(() => reader.close());
    await reader.start();
    return reader;
  };
  return { pool, read, statements: () => statements };
}

it('the leases of all readers of a process are kept by one statement per round', async () => {
  const { pool, read, statements } = startProcess();
  for (const number of [1, 2, 3, 4, 5]) await read({ name: `${name}-${number}`, pollMs: NEVER_MS });
  // Each reads once when it starts.
  await sleep(300);
  const before = statements();
  const { rows } = await pools.owner.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const renewed = async (): Promise<number> => {
    const answer = await pools.owner.query<{ n: string }>(
      `SELECT count(*) AS n FROM phaseline.subscriptions WHERE name LIKE $1 AND updated_at > $2::timestamptz + interval '2 seconds'`,
      [`${name}-%`, rows[0]!.at],
    );
    return Number(answer.rows[0]!.n);
  };
  await eventually(async () => ((await renewed()) === 5 * 8 ? true : undefined));
  // Each reader for itself would have taken three statements per second.
  const rounds = statements() - before;
  expect(rounds).toBeGreaterThanOrEqual(2);
  const { rows: now } = await pools.owner.query<{ seconds: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - $1::timestamptz)::float8 AS seconds`,
    [rows[0]!.at],
  );
  expect(rounds).toBeLessThanOrEqual(Math.ceil(now[0]!.seconds) + 1);
  expect(tailRounds(pool).unchangedSince).toBeDefined();
});

it('a control event is handled by its notification alone, without any poll', async () => {
  const { read } = startProcess();
  const listener = await listenForWakeups(pools.database.serviceUrl);
  ends.push(() => listener.close());
  const handled: string[] = [];
  await read({
    pollMs: NEVER_MS,
    tendMs: NEVER_MS,
    leaseMs: 4 * NEVER_MS,
    listener,
    handle: async (events) => void handled.push(...events.map(({ streamId }) => streamId)),
  } as Partial<SubscriptionOptions>);
  await sleep(300);
  const announced = freshStream();
  await store.append(appendTo(freshStream()));
  await sleep(500);
  // This shows that nothing polls: the event without a notification is not seen.
  expect(handled).toEqual([]);
  await store.append(appendTo(announced, { wake: true }));
  await eventually(() => (handled.includes(announced) ? true : undefined));
});

it('readers of a log at rest do not poll it; a round sees an event that nothing announces, and wakes them', async () => {
  const { pool, read, statements } = startProcess();
  const rounds = tailRounds(pool, 1_000);
  let handled = 0;
  for (const number of [1, 2])
    await read({
      name: `${name}-${number}`,
      pollMs: 50,
      handle: async (events) => void (handled += events.length),
    } as Partial<SubscriptionOptions>);
  await eventually(() => rounds.isAtRest() || undefined);
  await sleep(500);
  const [before, handledBefore] = [statements(), handled];
  await sleep(3_000);
  // Two readers that poll would have read 120 times; rounds are two seconds apart.
  expect(statements() - before).toBeLessThanOrEqual(4);
  const since = rounds.unchangedSince!;
  await store.append(appendTo(freshStream()));
  await eventually(() => (handled - handledBefore === 2 ? true : undefined));
  expect(rounds.isAtRest()).toBe(false);
  await eventually(() => ((rounds.unchangedSince ?? 0) > since ? true : undefined));
});

it('is not known to be unchanged while a transaction may add an event in front of the newest', async () => {
  const { pool, read } = startProcess();
  const reader = await read({ pollMs: 20 });
  const open = await pools.owner.connect();
  try {
    await open.query('BEGIN');
    await open.query('SELECT pg_current_xact_id()');
    await store.append(appendTo(freshStream()));
    await eventually(() => (tailRounds(pool).unchangedSince === undefined ? true : undefined));
    await sleep(2_500);
    expect(tailRounds(pool).unchangedSince).toBeUndefined();
  } finally {
    await open.query('ROLLBACK');
    open.release();
  }
  await eventually(() => (tailRounds(pool).unchangedSince === undefined ? undefined : true));
  await reader.close();
});

it('a replica that is paused leaves its partitions to another one, and has its share again afterwards', async () => {
  let paused = false;
  const first = await startProcess().read({ replicaId: 'first', paused: () => paused });
  const second = await startProcess().read({ replicaId: 'second' });
  const held = (): string => [first.held.length, second.held.length].join();
  await eventually(() => (held() === '4,4' ? true : undefined));
  paused = true;
  await eventually(() => (held() === '0,8' ? true : undefined));
  paused = false;
  await eventually(() => (held() === '4,4' ? true : undefined));
});
