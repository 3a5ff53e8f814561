import { describe, expect, it } from 'vitest';
import { narrowLimits } from './job-limits.js';

const turns = { max: 10, workMs: 45_000, softCostUsd: 0.3 };
const dailyBudget = { costUsd: 5, zone: 'Europe/Berlin' };

describe('the limits of a job', () => {
  it.each([
    [{ turns: { max: 3 } }, { turns: { ...turns, max: 3 }, dailyBudget }],
    [{ turns: { workMs: 1_000 } }, { turns: { ...turns, workMs: 1_000 }, dailyBudget }],
    [{ turns: { softCostUsd: 0.1 } }, { turns: { ...turns, softCostUsd: 0.1 }, dailyBudget }],
    [{ dailyBudget: { costUsd: 1 } }, { turns, dailyBudget: { ...dailyBudget, costUsd: 1 } }],
    [
      { turns: { max: 11, workMs: 90_000, softCostUsd: 1 }, dailyBudget: { costUsd: 6 } },
      { turns, dailyBudget },
    ],
  ])('are the lower ones of the agent and the submission %j', (submitted, limits) => {
    expect(narrowLimits({ turns, dailyBudget }, submitted)).toEqual(limits);
  });

  it('are those of the submission where the agent has none', () => {
    expect(narrowLimits({}, {})).toEqual({});
    expect(narrowLimits({}, { turns: { max: 2 }, dailyBudget: { costUsd: 1 } })).toEqual({
      turns: { max: 2 },
      dailyBudget: { costUsd: 1, zone: 'UTC' },
    });
  });
});
