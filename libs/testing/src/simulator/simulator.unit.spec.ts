import { describe, expect, it } from 'vitest';
import { mutations } from './mutation/mutations.js';
import { runMany } from './run/run-many.js';
import { runSeed } from './run/run-seed.js';
import { shrink } from './run/shrink.js';
import type { Fault } from './schedule/faults.js';

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

describe('a run', () => {
  it.each([3, 11, 27])('of the same seed gives the same log: seed %i', async (seed) => {
    const first = await runSeed({ seed });
    // Others in between, so that nothing that is kept between runs can matter.
    await runSeed({ seed: seed + 1 });
    const second = await runSeed({ seed });
    expect(second.remains.logHash).toBe(first.remains.logHash);
    expect(second.remains.steps).toBe(first.remains.steps);
    expect(first.remains.faults.length).toBeGreaterThan(0);
  });

  it('of another seed gives another log', async () => {
    const [left, right] = [await runSeed({ seed: 5 }), await runSeed({ seed: 6 })];
    expect(left.remains.logHash).not.toBe(right.remains.logHash);
  });

  it('without its faults, or with exactly those that it drew, is one of its own', async () => {
    const drawn = await runSeed({ seed: 11 });
    const same = await runSeed({ seed: 11, only: drawn.remains.faults });
    expect(same.remains.logHash).toBe(drawn.remains.logHash);
    const calm = await runSeed({ seed: 11, only: [] });
    expect(calm.remains.faults).toEqual([]);
    expect(calm.violations).toEqual([]);
  });
});

it('breaks nothing, whatever goes wrong', async () => {
  const summary = await runMany({ seeds: seeds(1_000, 60), workload: 'mixed' });
  expect(summary.failures).toEqual([]);
  expect(Object.keys(summary.faults).length).toBeGreaterThan(20);
});

it.each([14_161, 18_392, 71_718])('breaks nothing any more with seed %i, which once did', async (seed) => {
  expect((await runSeed({ seed })).violations).toEqual([]);
});

describe('a safeguard that is taken out', () => {
  const noticed = Object.entries(mutations).filter(([, { caughtBy }]) => caughtBy !== undefined);
  const spared = Object.entries(mutations).filter(([, { caughtBy }]) => caughtBy === undefined);

  it.each(noticed)('is noticed: %s', async (_name, mutation) => {
    const found = new Set<string>();
    for (const seed of seeds(1, 200)) {
      const { violations } = await runSeed({ seed, mutation });
      for (const { invariant } of violations) found.add(invariant);
      if (found.has(mutation.caughtBy!)) break;
    }
    expect([...found]).toContain(mutation.caughtBy);
  });

  it.each(spared)('is not needed for any invariant: %s', async (_name, mutation) => {
    const summary = await runMany({ seeds: seeds(1, 6), workload: 'mixed', mutation });
    expect(summary.failures).toEqual([]);
  });
});

describe('a schedule that breaks something', () => {
  const faults = seeds(1, 40).map((n): Fault => ({ at: `place ${n}`, kind: 'slow' }));
  const places = (list: readonly Fault[]): string[] => list.map(({ at }) => at);

  it('shrinks to the faults that it takes', async () => {
    const needed = ['place 7', 'place 31'];
    const breaks = async (fewer: readonly Fault[]): Promise<boolean> =>
      needed.every((at) => places(fewer).includes(at));
    expect(places(await shrink(faults, breaks, 500))).toEqual(needed);
  });

  it('shrinks to nothing when it takes no fault, and stays as it is when nothing can be left out', async () => {
    expect(await shrink(faults, async () => true, 10)).toEqual([]);
    const all = async (fewer: readonly Fault[]): Promise<boolean> => fewer.length === faults.length;
    expect(await shrink(faults, all, 500)).toEqual(faults);
  });
});
