import { expect, it } from 'vitest';
import { compareBacktest } from './compare-backtest.js';

it('the backtest of generated guards equals what they decide live', async () => {
  // A seed whose few guards, rules and a script, decide at three hook points. The command `backtest` plays many more.
  const { differences, decisions, points } = await compareBacktest(1, 20, { pure: 3, commands: 0 });
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(10);
  expect(points).toEqual(expect.arrayContaining(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']));
});

it('the backtest of generated hooks equals what they decide live in the sandbox', { timeout: 60_000 }, async () => {
  const { differences, decisions } = await compareBacktest(2, 8, { pure: 0, commands: 3 });
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(5);
});
