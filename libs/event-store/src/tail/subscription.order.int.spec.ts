import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import { appendTo, waitUntil, createStreamId, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { readLatestTailPosition, readSubscriptionProgress } from './subscription-progress.js';
import { Subscription } from './subscription.js';
import type { SubscriptionOptions } from './subscription-options.js';
import { compareTailPositions, TAIL_START } from './tail-position.js';
import { listenForWakeups } from '../testing/listen.fixture.js';

const pools = useTestDatabase();
let store: EventStore;
let name: string;
const open: { close(): Promise<void> }[] = [];
beforeAll(() => {
  store = new EventStore(pools.service);
});
let names = 0;
beforeEach(() => {
  name = `reader-${(names += 1)}`;
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Starts a subscription that collects events from the current end of the log. */
async function follow(
  options: Partial<SubscriptionOptions> = {},
): Promise<{ subscription: Subscription; seen: RecordedEvent[] }> {
  const seen: RecordedEvent[] = [];
  const handle = async (events: readonly RecordedEvent[]): Promise<void> => void seen.push(...events);
  const subscription = new Subscription(pools.service, { name, pollMs: 20, handle, ...options } as SubscriptionOptions);
  open.push(subscription);
  await subscription.start();
  expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
  seen.length = 0;
  return { subscription, seen };
}
const ids = (events: readonly { streamId: string; version: number }[]): string[] =>
  events.map((event) => `${event.streamId}:${event.version}`);

describe('a subscription with open transactions', () => {
  it('skips nothing if a transaction with low positions commits after later ones', async () => {
    const { seen } = await follow();
    const [slow, fast] = [createStreamId(), createStreamId()];
    const client = await pools.service.connect();
    await client.query('BEGIN');
    const [held] = await store.appendWithin(client, appendTo(slow, { events: [newEvent(), newEvent()] }));
    const later = [];
    for (let n = 0; n < 5; n += 1) later.push(...(await store.append(appendTo(fast))));
    // A reader ordered by position alone would now read the later events and skip the earlier ones.
    expect(Math.min(...later.map((result) => result.position))).toBeGreaterThan(held!.position);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(ids(seen)).toEqual([]);
    await client.query('COMMIT');
    client.release();
    await waitUntil(() => seen.length >= 7 || undefined);
    expect([...ids(seen)].sort()).toEqual(
      [...[1, 2].map((n) => `${slow}:${n}`), ...[1, 2, 3, 4, 5].map((n) => `${fast}:${n}`)].sort(),
    );
  });

  it('waits for several open transactions that end in any order, also after a takeover by another replica', async () => {
    const first = await follow();
    const [one, two, fast] = [createStreamId(), createStreamId(), createStreamId()];
    const clients = [await pools.service.connect(), await pools.service.connect()];
    for (const [index, streamId] of [one, two].entries()) {
      await clients[index]!.query('BEGIN');
      await store.appendWithin(clients[index]!, appendTo(streamId));
      await store.append(appendTo(fast));
    }
    // The later transaction ends first; the older one still holds back all readers.
    await clients[1]!.query('COMMIT');
    await first.subscription.close();
    expect(first.seen).toEqual([]);
    const seen: RecordedEvent[] = [];
    const second = new Subscription(pools.service, {
      name,
      pollMs: 20,
      handle: async (events) => void seen.push(...events),
    });
    open.push(second);
    await second.start();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(seen).toEqual([]);
    await clients[0]!.query('COMMIT');
    for (const client of clients) client.release();
    await waitUntil(() => seen.length >= 4 || undefined);
    expect([...ids(seen)].sort()).toEqual([`${one}:1`, `${two}:1`, `${fast}:1`, `${fast}:2`].sort());
  });

  it('continues when the slow transaction is rolled back', async () => {
    const { seen } = await follow();
    const [slow, fast] = [createStreamId(), createStreamId()];
    const client = await pools.service.connect();
    await client.query('BEGIN');
    await store.appendWithin(client, appendTo(slow));
    await store.append(appendTo(fast));
    await client.query('ROLLBACK');
    client.release();
    await waitUntil(() => seen.length > 0 || undefined);
    expect(ids(seen)).toEqual([`${fast}:1`]);
  });

  it('delivers every committed event exactly once with concurrent writers, slow transactions and rollbacks', async () => {
    const { subscription, seen } = await follow({ partitions: 3, pageSize: 7 });
    const committed: string[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        const own = new EventStore(pools.service);
        for (let n = 0; n < 15; n += 1) {
          const append = appendTo(`mixed-${names}-${writer}`, { events: [newEvent(), newEvent()] });
          if (n % 5 !== 0) {
            await own.append(append);
          } else {
            const client = await pools.service.connect();
            await client.query('BEGIN');
            await own.appendWithin(client, append);
            await new Promise((resolve) => setTimeout(resolve, 5));
            await client.query(n % 10 === 0 ? 'COMMIT' : 'ROLLBACK');
            client.release();
            if (n % 10 !== 0) continue;
          }
          committed.push(...append.events.map((event) => event.eventId));
        }
      }),
    );
    expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
    expect(seen.map((event) => event.eventId).sort()).toEqual(committed.sort());
    for (let writer = 0; writer < 6; writer += 1) {
      const versions = seen
        .filter((event) => event.streamId === `mixed-${names}-${writer}`)
        .map((event) => event.version);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
  });
});

describe('a subscription', () => {
  it('resumes from its checkpoint', async () => {
    const first = await follow();
    const [one, two] = [createStreamId(), createStreamId()];
    await store.append(appendTo(one));
    await waitUntil(() => first.seen.length > 0 || undefined);
    await first.subscription.close();
    await store.append(appendTo(two));
    const seen: RecordedEvent[] = [];
    const second = new Subscription(pools.service, {
      name,
      pollMs: 20,
      handle: async (events) => void seen.push(...events),
    });
    open.push(second);
    await second.start();
    await second.waitFor(await readLatestTailPosition(pools.owner), 45_000);
    expect(ids(seen)).toEqual([`${two}:1`]);
  });

  it('receives only the requested types, and its checkpoint advances past the others', async () => {
    const { subscription, seen } = await follow({ types: ['Wanted'] });
    const streamId = createStreamId();
    await store.append(
      appendTo(streamId, { events: ['Other', 'Wanted', 'Other', 'Wanted', 'Other'].map((type) => newEvent({ type })) }),
    );
    const horizon = await readLatestTailPosition(pools.owner);
    expect(await subscription.waitFor(horizon, 10_000)).toBe(true);
    expect(ids(seen)).toEqual([`${streamId}:2`, `${streamId}:4`]);
    await subscription.close();
    for (const progress of await readSubscriptionProgress(pools.service, name))
      expect(compareTailPositions(progress, horizon)).toBeGreaterThanOrEqual(0);
  });

  it('reads immediately after a control event, without waiting for the polling interval', async () => {
    const listener = await listenForWakeups(pools.database.serviceUrl);
    const { seen } = await follow({ listener, pollMs: 3_600_000 });
    open.push(listener);
    // Repeated, to cover notifications that arrive while an older transaction is still open.
    for (let n = 1; n <= 20; n += 1) {
      await Promise.all([
        store.append(appendTo(createStreamId(), { wake: true })),
        new EventStore(pools.service).append(appendTo(createStreamId())),
      ]);
      await waitUntil(() => seen.length >= 2 * n - 1 || undefined);
    }
  });

  it('reads a long backlog in order and in pages', async () => {
    const streamId = createStreamId();
    await store.append(appendTo(streamId, { events: Array.from({ length: 1_700 }, () => newEvent()) }));
    const pages: number[] = [];
    const versions: number[] = [];
    const subscription = new Subscription(pools.service, {
      name,
      pageSize: 300,
      handle: async (events) => {
        pages.push(events.length);
        versions.push(...events.filter((event) => event.streamId === streamId).map((event) => event.version));
      },
    });
    open.push(subscription);
    await subscription.start();
    expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
    expect(versions).toEqual(Array.from({ length: 1_700 }, (_, index) => index + 1));
    expect(Math.max(...pages)).toBeLessThanOrEqual(300);
  });
});

describe('readLatestTailPosition', () => {
  it('is the position of the newest committed event, which is after TAIL_START', async () => {
    const [result] = await store.append(appendTo(createStreamId()));
    const horizon = await readLatestTailPosition(pools.service);
    expect(horizon.position).toBe(result?.position);
    expect(compareTailPositions(TAIL_START, horizon)).toBeLessThan(0);
    expect(
      compareTailPositions({ transactionId: '9', position: 5 }, { transactionId: '10', position: 1 }),
    ).toBeLessThan(0);
  });
});

describe('a subscription with a shortest interval', () => {
  /** A subscription that would read again after half a minute, because it has just handled an event. */
  async function followSlowly(type: string) {
    const streamId = createStreamId();
    const pages: number[] = [];
    const handle = async (events: readonly RecordedEvent[]): Promise<void> => void pages.push(events.length);
    // The log contains no earlier event of this type, after which it would have to wait.
    const { subscription } = await follow({ types: [type], minIntervalMs: 30_000, handle });
    const append = () => store.append(appendTo(streamId, { events: [newEvent({ type })] }));
    await append();
    await waitUntil(() => pages.length > 0 || undefined);
    return { subscription, pages, append };
  }

  it('handles the first event at once and those that follow together, earlier if they are waited for', async () => {
    const { subscription, pages, append } = await followSlowly('TodoBlocked');
    for (let n = 0; n < 3; n += 1) {
      await append();
      // Longer than its interval of polls.
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(pages).toEqual([1]);
    expect(await subscription.waitFor(await readLatestTailPosition(pools.owner), 45_000)).toBe(true);
    expect(pages).toEqual([1, 3]);
  });

  it('closes without waiting for it', { timeout: 15_000 }, async () => {
    const { subscription } = await followSlowly('TodoUnblocked');
    await subscription.close();
  });
});
