import { expect, it } from 'vitest';
import { compareBacktest } from './compare-backtest.js';

// Seeds whose guards decide at many points.
it.each([1, 2])('the backtest of generated guards equals what they decide live: seed %i', async (seed) => {
  const { differences, decisions, points } = await compareBacktest(seed, 30, 6);
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(20);
  expect(points.length).toBeGreaterThan(1);
});
