import { expect, it } from 'vitest';
import { EventStore } from '../event-store.js';
import { eventually, newEvent, useTestDatabase } from '../testing/store.fixture.js';
import { latestHorizon } from './horizon.js';
import { Subscription } from './subscription.js';
import { tailLag } from './tail-lag.js';

const pools = useTestDatabase();

const count = async (column: 'seq_scan' | 'idx_scan'): Promise<number> => {
  // Each connection reports what it did when it is idle, or when it is asked to.
  await pools.service.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pools.service.query<{ n: string }>(
    `SELECT ${column} AS n FROM pg_stat_user_tables WHERE relid = 'phaseline.events'::regclass`,
  );
  return Number(rows[0]!.n);
};

it('a reader of a new database, which nobody has analysed, reads by the index while the table grows', async () => {
  const store = new EventStore(pools.service);
  const append = (round: number, count: number): Promise<unknown> =>
    store.append({
      streamId: `job-${round}`,
      correlationId: `${round}`,
      expectedVersion: 0,
      events: Array.from({ length: count }, () => newEvent()),
    });
  // A statement that is prepared on a page with a few rows has the plan for it until the table is analysed.
  await append(0, 3);
  let handled = 0;
  const reader = new Subscription(pools.service, {
    name: 'new-database',
    partitions: 1,
    pollMs: 10,
    handle: async (events) => void (handled += events.length),
  });
  const [scans, lookups] = [await count('seq_scan'), await count('idx_scan')];
  await reader.start();
  for (let round = 1; round <= 30; round += 1) {
    await append(round, 50);
    await eventually(() => (handled === 3 + round * 50 ? true : undefined));
    await tailLag(pools.service);
    await latestHorizon(pools.service);
  }
  await reader.close();
  await expect.poll(() => count('idx_scan')).toBeGreaterThan(lookups + 90);
  expect((await count('seq_scan')) - scans).toBe(0);
  await store.close();
});
