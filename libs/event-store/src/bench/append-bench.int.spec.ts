import { expect, it } from 'vitest';
import { verifyChain } from '../chain/verify-chain.js';
import { useTestDatabase } from '../testing/store.fixture.js';
import { appendBench } from './append-bench.js';

const pools = useTestDatabase();

it('measures real appends and leaves a valid log', async () => {
  const { rows, readPerSecond } = await appendBench({
    url: pools.database.ownerUrl,
    seconds: 0.1,
    rounds: 1,
    writers: [1, 4],
  });
  expect(rows.map((row) => row.writers)).toEqual([1, 4]);
  for (const { append, plain, ratio } of rows) {
    expect(append.perSecond).toBeGreaterThan(0);
    expect(append.p99).toBeGreaterThanOrEqual(append.p50);
    expect(ratio).toBeCloseTo(append.perSecond / plain.perSecond);
  }
  expect(readPerSecond).toBeGreaterThan(0);
  const report = await verifyChain(pools.service);
  expect(report).toMatchObject({ problems: [] });
  expect(report.events).toBeGreaterThan(20_000);
});
