import { expect, it } from 'vitest';
import type { Sample } from '../samples/sampler.js';
import { compareMemory } from './compare-memory.js';

const sampleOf = (worker: number): Sample => ({
  ...{ seconds: 0, progress: 0, tablesMiB: {}, commits: 0 },
  rssMiB: { worker },
});

it('compares the medians of the second and the last third, and ignores the first', () => {
  expect(compareMemory([900, 900, 900, 10, 11, 99, 20, 21, 22].map(sampleOf))).toEqual([
    { name: 'worker', secondThirdMiB: 11, lastThirdMiB: 21 },
  ]);
});

it('compares nothing where there are too few samples', () => {
  expect(compareMemory([1, 2].map(sampleOf))).toEqual([]);
});
