import { describe, expect, it } from 'vitest';
import { mutations } from './mutation/mutations.js';
import { runMany } from './run/run-many.js';
import { runSeed } from './run/run-seed.js';
import { shrinkSchedule } from './run/shrink.js';
import type { Fault } from './schedule/faults.js';
import type { Size } from './workload/jobs.js';

const seedRange = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

describe('a run', () => {
  it.each([3, 11, 27])('with the same seed produces the same log: seed %i', async (seed) => {
    const first = await runSeed({ seed });
    // Another run in between shows that no state is kept between runs.
    await runSeed({ seed: seed + 1 });
    const second = await runSeed({ seed });
    expect(second.remains.logHash).toBe(first.remains.logHash);
    expect(second.remains.steps).toBe(first.remains.steps);
    expect(first.remains.faults.length).toBeGreaterThan(0);
  });

  it('with another seed produces another log', async () => {
    const [left, right] = [await runSeed({ seed: 5 }), await runSeed({ seed: 6 })];
    expect(left.remains.logHash).not.toBe(right.remains.logHash);
  });

  it('can be repeated with exactly the drawn faults, or without any', async () => {
    const drawn = await runSeed({ seed: 11 });
    const same = await runSeed({ seed: 11, only: drawn.remains.faults });
    expect(same.remains.logHash).toBe(drawn.remains.logHash);
    const calm = await runSeed({ seed: 11, only: [] });
    expect(calm.remains.faults).toEqual([]);
    expect(calm.violations).toEqual([]);
  });
});

it('no invariant is violated by any faults', async () => {
  const summary = await runMany({ seeds: seedRange(1_000, 60), workload: 'mixed' });
  expect(summary.failures).toEqual([]);
  expect(Object.keys(summary.faults).length).toBeGreaterThan(20);
});

it('sessions that race for what a person may spend in a day never pass it, and some are refused', async () => {
  const summary = await runMany({ seeds: seedRange(3_000, 20), workload: 'capped' });
  expect(summary.failures).toEqual([]);
  expect(summary.codes).toMatchObject({
    daily_limit: expect.any(Number),
    turn_limit: expect.any(Number),
    turn_time_limit: expect.any(Number),
    cost_limit: expect.any(Number),
  });
});

it.each([1_105, 14_161, 18_392, 71_718])('seed %i, which once failed, violates nothing', async (seed) => {
  expect((await runSeed({ seed })).violations).toEqual([]);
});

it.each([75, 102_282, 103_153, 103_483])(
  'seed %i of capped jobs, which once failed, violates nothing',
  async (seed) => {
    expect((await runSeed({ seed, workload: 'capped' })).violations).toEqual([]);
  },
);

describe('a removed safeguard', () => {
  const detectable = Object.entries(mutations).filter(([, { caughtBy }]) => caughtBy !== undefined);
  const undetectable = Object.entries(mutations).filter(([, { caughtBy }]) => caughtBy === undefined);

  /** Where to look for a schedule that detects a removal, if the first hundred seeds have none. */
  const firstSeeds: Readonly<Record<string, number>> = { 'no-outage-grace': 60, 'silent-retries': 120 };

  /** Jobs that use what the safeguard protects, where few of the mixed ones do. */
  const workloads: Readonly<Record<string, Size>> = { 'racing-reservations': 'capped', 'forgotten-turns': 'capped' };

  it.each(detectable)('is detected: %s', async (name, mutation) => {
    const found = new Set<string>();
    for (const seed of seedRange(firstSeeds[name] ?? 1, 200)) {
      const { violations } = await runSeed({ seed, mutation, workload: workloads[name] ?? 'mixed' });
      for (const { invariant } of violations) found.add(invariant);
      if (found.has(mutation.caughtBy!)) break;
    }
    expect([...found]).toContain(mutation.caughtBy);
  });

  it.each(undetectable)('is not needed for any invariant: %s', async (_name, mutation) => {
    const summary = await runMany({ seeds: seedRange(1, 6), workload: 'mixed', mutation });
    expect(summary.failures).toEqual([]);
  });
});

describe('a failing schedule', () => {
  const faults = seedRange(1, 40).map((n): Fault => ({ at: `place ${n}`, kind: 'slow' }));
  const places = (list: readonly Fault[]): string[] => list.map(({ at }) => at);

  it('shrinks to the faults that cause the failure', async () => {
    const needed = ['place 7', 'place 31'];
    const breaks = async (fewer: readonly Fault[]): Promise<boolean> =>
      needed.every((at) => places(fewer).includes(at));
    expect(places(await shrinkSchedule(faults, breaks, 500))).toEqual(needed);
  });

  it('shrinks to nothing if no fault is needed, and stays unchanged if all are', async () => {
    expect(await shrinkSchedule(faults, async () => true, 10)).toEqual([]);
    const all = async (fewer: readonly Fault[]): Promise<boolean> => fewer.length === faults.length;
    expect(await shrinkSchedule(faults, all, 500)).toEqual(faults);
  });
});
