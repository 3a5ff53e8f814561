import { openStore, type OpenStore } from '@phaseline/harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bisectJob } from './bisect-jobs.js';
import { openLab, type Lab } from './engine-branches.js';
import { findFaults } from './find-faults.js';

let opened: OpenStore;
let lab: Lab;
beforeAll(async () => {
  opened = await openStore();
  lab = openLab(opened.url);
});
afterAll(async () => {
  await lab.close();
  await opened.close();
});

it('a bisection finds the answer that spoiled a job, within the branches that halving needs', async () => {
  const run = await bisectJob(lab, 2, 3);
  expect(run).toMatchObject({ found: run.planted, isConfirmed: true });
  expect(run.branches).toBeLessThanOrEqual(run.allowed);
});

it('an experiment finds the prompt that lacks a rule, and no fault in the same prompt or in other words', async () => {
  const prompts = ['recorded', 'reworded', 'without-rule-4'];
  const runs = await findFaults(lab, { seed: 1, jobs: 1, samples: 4, branches: 3, prompts });
  expect(runs.map(({ outcome, differing }) => [outcome, differing])).toEqual([
    ['same', 0],
    ['same', 0],
    ['worse', 1],
  ]);
});
