import { expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { waitUntil, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { readLatestTailPosition } from './subscription-progress.js';
import { Subscription } from './subscription.js';
import { readTailLag } from './tail-lag.js';

const pools = useTestDatabase();

const countScans = async (column: 'seq_scan' | 'idx_scan'): Promise<number> => {
  // Connections report their statistics when idle, or when forced to.
  await pools.service.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pools.service.query<{ n: string }>(
    `SELECT ${column} AS n FROM pg_stat_user_tables WHERE relid = 'phaseline.events'::regclass`,
  );
  return Number(rows[0]!.n);
};

it('a subscription on a new database without statistics uses the index while the table grows', async () => {
  const store = new EventStore(pools.service);
  const append = (round: number, count: number): Promise<unknown> =>
    store.append({
      streamId: `job-${round}`,
      correlationId: `${round}`,
      expectedVersion: 0,
      events: Array.from({ length: count }, () => newEvent()),
    });
  // A statement that is prepared while the table has few rows keeps its plan until the table is analysed.
  await append(0, 3);
  let handled = 0;
  const reader = new Subscription(pools.service, {
    name: 'new-database',
    partitions: 1,
    pollMs: 10,
    handle: async (events) => void (handled += events.length),
  });
  const [scans, lookups] = [await countScans('seq_scan'), await countScans('idx_scan')];
  await reader.start();
  for (let round = 1; round <= 30; round += 1) {
    await append(round, 50);
    await waitUntil(() => (handled === 3 + round * 50 ? true : undefined));
    await readTailLag(pools.service);
    await readLatestTailPosition(pools.service);
  }
  await reader.close();
  await expect.poll(() => countScans('idx_scan')).toBeGreaterThan(lookups + 90);
  expect((await countScans('seq_scan')) - scans).toBe(0);
  await store.close();
});
