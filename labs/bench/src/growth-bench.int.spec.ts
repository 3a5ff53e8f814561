import { expect, inject, it } from 'vitest';
import { measureGrowth } from './growth-bench.js';

it('measures logs of different lengths in the same run', async () => {
  const { superuserUrl, owner } = inject('testServer');
  const ownerUrl = new URL(superuserUrl);
  ownerUrl.username = owner.name;
  ownerUrl.password = owner.password;
  const rows = await measureGrowth({
    superuserUrl,
    ownerUrl: ownerUrl.href,
    lengths: [50, 200],
    writers: [1, 3],
    rounds: 1,
    appendsPerRound: 30,
  });
  expect(rows.map(({ writers, events }) => [writers, events])).toEqual([
    [1, 50],
    [1, 200],
    [3, 50],
    [3, 200],
  ]);
  for (const { p50Ms, p99Ms, ratio } of rows) {
    expect(p50Ms).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    expect(ratio).toBeGreaterThan(0);
  }
  expect(rows.filter((_, index) => index % 2 === 0).map(({ ratio }) => ratio)).toEqual([1, 1]);
});
