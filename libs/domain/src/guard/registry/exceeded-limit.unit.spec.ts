import { expect, it } from 'vitest';
import { findExceededLimit } from './exceeded-limit.js';

const limits = { maxOverrides: 5, maxFailedJobs: 0, automatic: true };

it.each([
  ['as many as allowed', limits, { overrides: 5, failedJobs: 0 }, undefined],
  ['one override more', limits, { overrides: 6, failedJobs: 0 }, '6 overrides, more than 5'],
  ['one failed job more', limits, { overrides: 0, failedJobs: 1 }, '1 failed job, more than 0'],
  ['what has no limit', { automatic: true }, { overrides: 99, failedJobs: 99 }, undefined],
])('%s', (_, given, outcomes, figure) => {
  expect(findExceededLimit(given, outcomes)?.figure).toBe(figure);
});
