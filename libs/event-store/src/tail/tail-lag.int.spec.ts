import { beforeEach, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, eventually, freshStream, useTestDatabase } from '../testing/store.fixture.js';
import { Subscription } from './subscription.js';
import { tailLag } from './tail-lag.js';

const pools = useTestDatabase();
beforeEach(() => pools.owner.query('TRUNCATE phaseline.subscriptions, phaseline.subscription_members'));

async function append(): Promise<void> {
  const store = new EventStore(pools.service);
  await store.append(appendTo(freshStream()));
  await store.close();
}

const lag = async (owner?: string) => {
  const [one] = await tailLag(pools.service, { name: 'reader', ...(owner === undefined ? {} : { owner }) });
  return one;
};

it('a reader that keeps up is behind by nothing, one whose handler fails by more and more', async () => {
  let broken = false;
  const reader = new Subscription(pools.service, {
    name: 'reader',
    partitions: 1,
    replicaId: 'me',
    pollMs: 10,
    handle: async () => {
      if (broken) throw new Error('no');
    },
  });
  await reader.start();
  await append();
  await eventually(async () => ((await lag())?.behindMs === undefined ? true : undefined));
  expect(await lag()).toMatchObject({ partition: 0, owner: 'me', gated: false });
  broken = true;
  await append();
  await eventually(async () => (((await lag('me'))?.behindMs ?? 0) > 50 ? true : undefined));
  expect(await lag('somebody else')).toBeUndefined();
  broken = false;
  await eventually(async () => ((await lag())?.behindMs === undefined ? true : undefined));
  await reader.close();
  expect(await lag()).toMatchObject({ owner: undefined });
});

it('tells events that an open transaction holds back from a reader that does not read', async () => {
  const reader = new Subscription(pools.service, { name: 'reader', partitions: 1, pollMs: 10, handle: async () => {} });
  await reader.start();
  // It begins at the start of the log: what the test before has left lies behind it as well, and is not held back.
  await eventually(async () => ((await lag())?.behindMs === undefined ? true : undefined));
  const open = await pools.owner.connect();
  try {
    await open.query('BEGIN; SELECT pg_current_xact_id()');
    await append();
    await eventually(async () => (((await lag())?.behindMs ?? -1) >= 0 ? true : undefined));
    expect(await lag()).toMatchObject({ gated: true });
  } finally {
    // Left open, it would hold back the tails of every other spec on this server.
    open.release(true);
  }
  await eventually(async () => ((await lag())?.behindMs === undefined ? true : undefined));
  await reader.close();
});
