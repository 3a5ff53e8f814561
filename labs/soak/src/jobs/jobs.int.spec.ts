import { expect, it } from 'vitest';
import { runLoad } from './load.js';
import { runLongJob } from './long-job.js';
import { runManyJobs } from './many-jobs.js';
import { runWaitingJobs } from './waiting-jobs.js';

const options = { queues: 'postgres', seed: 1, note: () => undefined } as const;
const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const TIMEOUT_MS = 180_000;

it(
  'many jobs: each completes with the steps that its task demands, and the log verifies',
  { timeout: TIMEOUT_MS },
  async () => {
    const report = await runManyJobs({ ...options, jobs: 6 });
    expect(report).toMatchObject({ jobs: 6, queues: 'postgres' });
    // Four to six steps each, as the seed says.
    expect(report.steps).toBe(30);
    expect(report.log.streams).toBe(12);
    expect(report.log.events).toBeGreaterThan(4 * report.steps);
    expect(Object.keys(report.samples.at(-1)!.rssMiB)).toEqual(SERVICES);
  },
);

it(
  'a long job: all steps are in its tenths, its past states match the log, and a fork survives a kill',
  { timeout: TIMEOUT_MS },
  async () => {
    const report = await runLongJob({ ...options, steps: 60 });
    expect(report.job).toEqual({ phases: 2, stepsPerPhase: 30, todosPerPhase: 7 });
    expect(report.steps).toBe(60);
    expect(report.tenths.map(({ steps }) => steps)).toEqual(Array.from({ length: 10 }, () => 6));
    expect(report.states.count).toBe(50);
    expect(report.resumption.takeovers).toBe(1);
  },
);

it('waiting jobs: each asks once, is answered once over HTTP, and completes', { timeout: TIMEOUT_MS }, async () => {
  const report = await runWaitingJobs({ ...options, jobs: 5, restSeconds: 1 });
  expect(report).toMatchObject({ jobs: 5, answered: 5, steps: 15 });
  expect(Object.keys(report.rest.rssMiB)).toEqual(SERVICES);
});

it('constant load: every submitted job completes, and belongs to its minute', { timeout: TIMEOUT_MS }, async () => {
  const report = await runLoad({ ...options, minutes: 1, jobsPerMinute: 6 });
  expect(report.jobs).toBe(6);
  expect(report.minutes).toMatchObject([{ minute: 1, submitted: 6 }]);
  expect(report.memory.map(({ name }) => name)).toEqual(SERVICES);
});
