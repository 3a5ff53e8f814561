import { expect, it } from 'vitest';
import { compareBacktest } from './compare-backtest.js';

it.each([1, 2, 3])('the backtest of generated guards equals what they decide live: seed %i', async (seed) => {
  const { differences, decisions } = await compareBacktest(seed, 40, 8);
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(20);
});
