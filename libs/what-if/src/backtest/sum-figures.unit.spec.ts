import type { BacktestHit, JobBacktest, JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { FiguresSum } from './sum-figures.js';

const JOB = '019b0000-0000-7000-8000-00000000000b' as JobId;
const UP_TO = { until: '2026-11-01T00:00:00.000Z' };

const buildHit = (version: number, change: Partial<BacktestHit> = {}): BacktestHit => ({
  ...{ streamId: `phase-${JOB}-2`, version, point: 'PreToolUse', decision: 'deny', tool: 'write_file' },
  ...({ outcome: 'completed', phaseEnd: 'completed', assessment: 'possibly-wrong' } as const),
  meanStep: { costMicroUsd: 10, durationMs: 1_000 },
  after: { costMicroUsd: 100 - version, durationMs: 9_000 },
  ...change,
});
const buildJob = (change: Partial<JobBacktest> = {}): JobBacktest => ({
  ...{ jobId: JOB, status: 'completed', events: 9, calls: 4, labelled: 3, untested: [], unknown: {}, hits: [] },
  ...change,
});
const sum = (...jobs: JobBacktest[]) => {
  const figures = new FiguresSum();
  for (const job of jobs) figures.add(job);
  return figures;
};

it('adds up jobs, what being wrong would have cost, and names possibly wrong hits first', () => {
  const saved = [1, 2, 3, 4, 5, 6].map((version) => buildHit(version, { assessment: 'might-have-saved' }));
  const figures = sum(buildJob({ hits: saved }), buildJob({ hits: [buildHit(7), buildHit(8)] })).summarise(
    UP_TO,
    false,
  );
  expect(figures).toMatchObject({ jobs: 2, calls: 8, labelled: 6, hits: 8, possiblyWrong: 2, isComplete: true });
  // One step for each wrong hit; once what the phase did after the first of them.
  expect(figures.moneyAtRisk).toEqual({
    atLeast: { costMicroUsd: 20, durationMs: 2_000 },
    atMost: { costMicroUsd: 93, durationMs: 9_000 },
  });
  expect(figures.examples.map(({ position }) => position)).toEqual([7, 8, 1, 2, 3]);
  expect(figures.examples[0]).toEqual({
    ...{ jobId: JOB, streamId: `phase-${JOB}-2`, position: 7, tool: 'write_file' },
    ...{ effect: 'deny', became: 'completed' },
  });
});

it.each<[string, Partial<JobBacktest>, boolean]>([
  ['a job was left out', {}, true],
  ['a job cannot be read to its end', { unreadable: 'no key' }, false],
  ['the guard was not asked at a point', { untested: ['SessionStart'] }, false],
  ['the guard was not asked about a claim', { unknown: { 'no limits': 1 } }, false],
])('is not complete if %s', (_what, change, leftOut) => {
  expect(sum(buildJob(change)).summarise(UP_TO, leftOut).isComplete).toBe(false);
});
