import type { JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import type { Branch, BranchRequest, BranchRunner } from '../point/branch.js';
import { readAnswers, type RecordedAnswer } from '../point/recorded-answer.js';
import { bisect } from './bisect.js';

const JOB = '0189cf00-0000-4000-8000-000000000001' as JobId;

/** A job of `count` answers, read from events as the log has them: each call begins in the commit of the answer before it. */
const listAnswers = (count: number): readonly RecordedAnswer[] =>
  readAnswers(
    Array.from({ length: count }, (_, index) => [
      { position: index * 10 + 1, streamId: `phase-${JOB}-1`, type: 'ModelCallStarted', data: { step: index + 1 } },
      {
        position: index * 10 + 5,
        streamId: `phase-${JOB}-1`,
        type: 'ModelResponded',
        data: { step: index + 1, calls: [] },
      },
    ]).flat(),
  );

/** Branches complete if they begin before the bad answer. */
function createRunner(bad: number, change: (request: BranchRequest) => Partial<Branch> = () => ({})) {
  const requests: BranchRequest[] = [];
  const runner: BranchRunner = {
    run: async (request) => {
      requests.push(request);
      const status = request.position <= (bad - 1) * 10 + 1 ? 'completed' : 'failed';
      return { jobId: JOB, status, costMicroUsd: 100, steps: 1, ...change(request) };
    },
  };
  return { requests, runner };
}

it('each answer of a job of 13 is found with at most four points, and no branch more than decides', async () => {
  const answers = listAnswers(13);
  for (let bad = 1; bad <= 13; bad += 1) {
    const { requests, runner } = createRunner(bad);
    const found = await bisect({ jobId: JOB, answers, branches: 3, passRate: 0.5 }, runner);
    expect(found).toMatchObject({ bad: answers[bad - 1], isConfirmed: bad > 1 });
    expect(found.tested.length).toBeLessThanOrEqual(4);
    expect(requests).toHaveLength(found.tested.length * 2);
    expect(found.costMicroUsd).toBe(requests.length * 100);
  }
});

it('a point is tested with all its branches when the first ones differ', async () => {
  let run = 0;
  const { requests, runner } = createRunner(1, () => ({ status: (run += 1) === 1 ? 'failed' : 'completed' }));
  const found = await bisect({ jobId: JOB, answers: listAnswers(2), branches: 3, passRate: 0.5 }, runner);
  expect(requests.map(({ key }) => key)).toEqual(['bisect-1-1', 'bisect-1-2', 'bisect-1-3']);
  expect(found.tested).toMatchObject([{ answers: 1, hasPassed: true }]);
});

it('the budget is divided among the branches of a point, and the search stops when it is spent', async () => {
  const { requests, runner } = createRunner(1);
  const options = { jobId: JOB, answers: listAnswers(13), branches: 3, passRate: 0.5, maxCostMicroUsd: 400 };
  const found = await bisect(options, runner);
  expect(requests.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([200, 200, 100, 100]);
  expect(found).toMatchObject({ stopped: { reason: 'budget' }, costMicroUsd: 400 });
  const capped = createRunner(1, () => ({ status: 'failed', code: 'cost_limit' }));
  expect(await bisect(options, capped.runner)).toMatchObject({ stopped: { reason: 'budget' }, tested: [] });
});

it('a branch that waits for a person stops the search, because it shows nothing', async () => {
  const { runner } = createRunner(1, () => ({ status: 'waiting-for-approval' }));
  const found = await bisect({ jobId: JOB, answers: listAnswers(13), branches: 1, passRate: 1 }, runner);
  expect(found).toMatchObject({ stopped: { reason: 'waits' }, tested: [] });
  expect(found.bad).toBeUndefined();
});
