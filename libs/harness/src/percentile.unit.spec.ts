import { expect, it } from 'vitest';
import { percentile } from './percentile.js';

it('takes values in any order', () => {
  const values = [9, 1, 10, 2, 8, 3, 7, 4, 6, 5];
  expect([0, 0.5, 0.91, 1].map((p) => percentile(values, p))).toEqual([1, 5, 10, 10]);
  expect(values[0]).toBe(9);
});

it('is NaN if there are no values', () => {
  expect(percentile([], 0.5)).toBeNaN();
});
