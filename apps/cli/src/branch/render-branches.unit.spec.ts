import type { Branch, Experiment, RecordedAnswer } from '@phaseline/branches';
import type { JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderBisection } from './render-bisection.js';
import { renderExperiment } from './render-experiment.js';

const JOB = '0189cf00-0000-4000-8000-000000000002' as JobId;
const paint = createPaint(false);
const branch = (status: Branch['status']): Branch => ({ jobId: JOB, status, costMicroUsd: 1_000, steps: 2 });
const bad: RecordedAnswer = {
  phase: 2,
  step: 3,
  position: 77,
  before: 70,
  calls: [{ name: 'write_file', arguments: { path: 'a\u001b[2J' } }],
};

it('a bisection: the bad answer with its calls, without control characters, then each point', () => {
  const tested = [
    { answers: 4, hasPassed: true, branches: [branch('completed'), branch('completed')] },
    { answers: 6, hasPassed: false, branches: [branch('failed')] },
  ];
  expect(renderBisection({ tested, bad, isConfirmed: true, costMicroUsd: 3_000 }, 9, paint)).toEqual([
    'phase 2, step 3 (position 77, of 9 answers) is the first answer after which branches no longer complete',
    '  write_file {"path":"a\\u001b[2J"}',
    '  after 4 answers: 2 of 2 branches completed, passes',
    '  after 6 answers: 0 of 1 branch completed, fails',
    'All branches cost $0.0030.',
  ]);
});

it.each([
  [true, /Branches complete from every point/],
  [false, /No branch before it completed either/],
] as const)('a bisection in which all points show the same says what else it may be', (isConfirmed, says) => {
  const tested = [{ answers: 4, hasPassed: isConfirmed, branches: [branch(isConfirmed ? 'completed' : 'failed')] }];
  expect(renderBisection({ tested, bad, isConfirmed, costMicroUsd: 0 }, 9, paint).join('\n')).toMatch(says);
});

it('a stopped bisection says why and what to do', () => {
  const stopped = { reason: 'waits', branch: branch('waiting-for-approval') } as const;
  const [line] = renderBisection({ tested: [], isConfirmed: false, costMicroUsd: 0, stopped }, 9, paint);
  expect(line).toContain(`branch ${JOB} is waiting-for-approval`);
});

it('an experiment: the outcome, both sides with intervals, and the first difference of each job', () => {
  const side = { total: 5, meanCostMicroUsd: 20_000, meanSteps: 4.5 };
  const result: Experiment = {
    outcome: 'worse',
    jobs: [
      {
        jobId: JOB,
        asked: 4,
        differing: 1,
        firstDifference: { phase: 2, step: 3, position: 77, recorded: bad.calls, candidate: [] },
        candidate: [],
        baseline: [],
      },
    ],
    candidate: { ...side, passed: 0, rate: { value: 0, low: 0, high: 0.434 } },
    baseline: { ...side, passed: 5, rate: { value: 1, low: 0.566, high: 1 } },
    difference: { value: -1, low: -1, high: -0.386 },
    costMicroUsd: 200_000,
  };
  expect(renderExperiment(result, paint)).toEqual([
    '✗ worse: other calls after 1 of 4 prompts in 1 job',
    '  candidate  0 of 5 completed, 0 % (0 to 43 %); $0.0200 and 4.5 steps per branch',
    '  recorded   5 of 5 completed, 100 % (57 to 100 %); $0.0200 and 4.5 steps per branch',
    '  difference -100 percentage points (-100 to -39)',
    '',
    `job ${JOB}: first difference in phase 2, step 3 (position 77)`,
    '  recorded   write_file {"path":"a\\u001b[2J"}',
    '  candidate  no call',
    'All branches cost $0.2000. Intervals contain the true value with a probability of 95 %.',
  ]);
});
