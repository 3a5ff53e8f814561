import { expect, it } from 'vitest';
import { groupByMinute } from './load.js';

const job = (submittedAt: number, completedAt: number) => ({
  ...{ submittedAt, completedAt, steps: 4 },
  startedAt: submittedAt + 100,
});

it('counts jobs in the minute of their submission, and ends in the minute in which they happen', () => {
  const minutes = groupByMinute([job(0, 1_000), job(59_000, 61_000), job(60_000, 62_000)], 2);
  expect(minutes).toMatchObject([
    { minute: 1, submitted: 2, completed: 1, waitMs: { p50: 100, p99: 100, max: 100 }, totalMs: { max: 2_000 } },
    { minute: 2, submitted: 1, completed: 2, totalMs: { max: 2_000 } },
  ]);
});

it('counts what ends after the last minute in it, and leaves out minutes without a submission', () => {
  const minutes = groupByMinute([job(0, 200_000), job(130_000, 400_000)], 3);
  expect(minutes).toMatchObject([
    { minute: 1, submitted: 1, completed: 0 },
    { minute: 3, submitted: 1, completed: 2 },
  ]);
});
