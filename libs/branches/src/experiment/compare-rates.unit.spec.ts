import { expect, it } from 'vitest';
import { estimateDifference, estimateRate } from './compare-rates.js';

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

it('the interval of a rate is that of Wilson: 0 of 5 says little', () => {
  const { value, low, high } = estimateRate({ passed: 0, total: 5 });
  expect([value, round(low), round(high)]).toEqual([0, 0, 0.434]);
});

it('the interval of a difference is that of Newcombe: his example of 56 of 70 against 48 of 80', () => {
  const { value, low, high } = estimateDifference({ passed: 56, total: 70 }, { passed: 48, total: 80 });
  expect([round(value), round(low), round(high)]).toEqual([0.2, 0.052, 0.334]);
});

it('without branches, every difference is possible', () => {
  expect(estimateDifference({ passed: 0, total: 0 }, { passed: 0, total: 0 })).toMatchObject({ low: -1, high: 1 });
});
