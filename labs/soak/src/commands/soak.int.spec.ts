import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSoak } from './run-soak.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('with eight concurrent writers nothing is lost or doubled, there are no gaps, and the read models equal the fold', async () => {
  const report = await runSoak({
    databaseUrl: database.serviceUrl,
    commands: 4_000,
    seed: 20,
    processes: false,
    cutEveryMs: 150,
    replaceEveryMs: 700,
  });
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ passed: true, chainProblems: 0, readModels: { passed: true } });
  // Connections were cut and replicas replaced often enough.
  const { figures, findings } = report;
  expect(findings.events).toBeGreaterThan(2_500);
  expect(figures.repeated).toBeGreaterThan(100);
  expect(Object.keys(figures.refused).sort()).toEqual([
    'correlation_mismatch',
    'duplicate_event_id',
    'stream_closed',
    'wrong_expected_version',
  ]);
  expect(report.connectionsCut).toBeGreaterThan(0);
}, 180_000);
