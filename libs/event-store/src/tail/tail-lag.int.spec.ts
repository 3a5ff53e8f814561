import { beforeEach, expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { appendTo, waitUntil, createStreamId, useTestDatabase } from '../testing/store.fixture.js';
import { Subscription } from './subscription.js';
import { readTailLag } from './tail-lag.js';

const pools = useTestDatabase();
beforeEach(() => pools.owner.query('TRUNCATE phaseline.subscriptions, phaseline.subscription_members'));

async function append(): Promise<void> {
  const store = new EventStore(pools.service);
  await store.append(appendTo(createStreamId()));
  await store.close();
}

const readLag = async (owner?: string) => {
  const [lag] = await readTailLag(pools.service, { name: 'reader', ...(owner === undefined ? {} : { owner }) });
  return lag;
};

it('reports no lag for a subscription that keeps up, and a growing lag if its handler fails', async () => {
  let isFailing = false;
  const reader = new Subscription(pools.service, {
    name: 'reader',
    partitions: 1,
    replicaId: 'me',
    pollMs: 10,
    handle: async () => {
      if (isFailing) throw new Error('no');
    },
  });
  await reader.start();
  await append();
  await waitUntil(async () => ((await readLag())?.behindMs === undefined ? true : undefined));
  expect(await readLag()).toMatchObject({ partition: 0, owner: 'me', isHeldBack: false });
  isFailing = true;
  await append();
  await waitUntil(async () => (((await readLag('me'))?.behindMs ?? 0) > 50 ? true : undefined));
  expect(await readLag('somebody else')).toBeUndefined();
  isFailing = false;
  await waitUntil(async () => ((await readLag())?.behindMs === undefined ? true : undefined));
  await reader.close();
  expect(await readLag()).toMatchObject({ owner: undefined });
});

it('distinguishes events held back by an open transaction from a subscription that does not read', async () => {
  const reader = new Subscription(pools.service, { name: 'reader', partitions: 1, pollMs: 10, handle: async () => {} });
  await reader.start();
  // It starts at the beginning of the log, so first wait until it has read the events of the previous test.
  await waitUntil(async () => ((await readLag())?.behindMs === undefined ? true : undefined));
  const open = await pools.owner.connect();
  try {
    await open.query('BEGIN; SELECT pg_current_xact_id()');
    await append();
    await waitUntil(async () => (((await readLag())?.behindMs ?? -1) >= 0 ? true : undefined));
    expect(await readLag()).toMatchObject({ isHeldBack: true });
  } finally {
    // An open transaction would hold back the subscriptions of all other specs on this server.
    open.release(true);
  }
  await waitUntil(async () => ((await readLag())?.behindMs === undefined ? true : undefined));
  await reader.close();
});
