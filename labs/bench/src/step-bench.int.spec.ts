import { migrateQueues } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchFailed, requireCount } from './bench-failed.js';
import { measureAdmission } from './slots-bench.js';
import { measureSteps, type StepBenchOptions } from './step-bench.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateQueues(database.ownerUrl);
});
afterAll(() => database.drop());

const bench = (options: Pick<StepBenchOptions, 'lane' | 'jobs' | 'stepsPerJob' | 'limits'>) =>
  measureSteps({
    databaseUrl: database.serviceUrl,
    backend: { backend: 'postgres', connectionString: database.serviceUrl },
    ...options,
  });

describe('measureSteps', () => {
  it.each(['inline', 'file', 'remote'] as const)(
    'runs all steps of the lane %s and counts them from the log',
    async (lane) => {
      expect(await bench({ lane, jobs: 2, stepsPerJob: 70 })).toMatchObject({ steps: 2 * 71 });
    },
  );

  it('returns no figures for jobs that did not complete', async () => {
    const failing = bench({ lane: 'inline', jobs: 2, stepsPerJob: 20, limits: { steps: 9 } });
    await expect(failing).rejects.toThrow(BenchFailed);
    await expect(failing).rejects.toThrow(
      /0 of 2 jobs completed; a phase failed: the phase reached its limit of 9 steps/,
    );
  });

  it('returns no figures if something is missing in the log', () => {
    expect(() => requireCount('steps in the log', 9, 301)).toThrow('steps in the log: 9 counted, 301 expected');
  });
});

it('measureAdmission counts the granted slots', async () => {
  const rows = await measureAdmission(database.serviceUrl, 20);
  expect(rows).toHaveLength(6);
  for (const { slotsPerSecond } of rows) expect(slotsPerSecond).toBeGreaterThan(0);
});
