import { toSampleSeed } from '@phaseline/harness';
import { describe, expect, it } from 'vitest';
import { HABITS } from './habits.js';
import { runMisbehaviour, type MisbehaviourReport } from './run-misbehaviour.js';

/** A sample is a fifth of the runs. */
const sample = toSampleSeed(process.env['PHASELINE_SAMPLE']);
const RUNS = sample === undefined ? 1_000 : 200;
const FIRST_SEED = sample ?? 1;

describe('a misbehaving model', () => {
  it(
    `ends each of ${RUNS} jobs with a clear outcome, and none with an open todo or a missing file`,
    { timeout: 1_200_000 },
    async () => {
      const reports: MisbehaviourReport[] = [];
      for (let run = 0; run < RUNS; run += 1) reports.push(await runMisbehaviour(FIRST_SEED + run));
      expect(reports.filter(({ problems }) => problems.length > 0)).toEqual([]);
      // The runs were neither too easy nor too hard, and used every habit.
      const completed = reports.filter(({ outcome }) => outcome === 'completed').length;
      expect(completed).toBeGreaterThan(RUNS / 10);
      expect(completed).toBeLessThan(RUNS * 0.9);
      expect([...new Set(reports.flatMap((report) => report.habits))].sort()).toEqual(Object.keys(HABITS).sort());
    },
  );
});
