import { expect, it } from 'vitest';
import { sample } from './choose-mutations.js';

const items = Array.from({ length: 50 }, (_, index) => index);

it('chooses distinct items by seed, in order', () => {
  const chosen = sample(items, 8, 1);
  expect(new Set(chosen).size).toBe(8);
  expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
  expect(sample(items, 8, 1)).toEqual(chosen);
  expect(sample(items, 8, 2)).not.toEqual(chosen);
});

it('chooses all where there are fewer', () => {
  expect(sample(items, 80, 1)).toEqual(items);
});
