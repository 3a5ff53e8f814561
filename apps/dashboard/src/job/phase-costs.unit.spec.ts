import { expect, it } from 'vitest';
import { listPhaseCosts } from './phase-costs.js';

const spending = (costMicroUsd: number) => ({
  ...{ steps: 2, inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, costMicroUsd },
});

it('an ended phase has what was recorded at its end, and the running one what it used until then', () => {
  const phases = [
    { phase: 1, name: 'Plan', spending: spending(5) },
    { phase: 2, name: 'Work' },
  ];
  const phase = { start: { identity: { phase: 2 } }, money: { spending: spending(7) } };
  expect(listPhaseCosts({ phases, phase })).toEqual([
    { phase: 1, name: 'Plan', isRunning: false, usage: spending(5) },
    { phase: 2, name: 'Work', isRunning: true, usage: spending(7) },
  ]);
});

it('a phase that was dispatched and has not started has used nothing', () => {
  const [cost] = listPhaseCosts({ phases: [{ phase: 1, name: 'Plan' }] });
  expect(cost?.usage).toEqual({
    ...{ steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
  });
});
