import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkIsolation } from './check-isolation.js';
import { markedTypes } from './marked-events.js';

const PAIRS = 4;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('no request of a job contains a learning trace of another one that was not promoted for it, and those that were can be read', async () => {
  const report = await checkIsolation(database.serviceUrl, PAIRS, 1);
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ pairs: PAIRS, traces: PAIRS * markedTypes.length });
  // Otherwise the requests would prove nothing.
  expect(report.promoted).toBeGreaterThan(10);
  expect(report.seen).toBeGreaterThan(3);
  expect(report.quoted).toBeGreaterThan(0);
});
