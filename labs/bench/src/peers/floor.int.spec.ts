import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureFloor } from './floor.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('counts the steps of all jobs from the rows, and can run again', async () => {
  const options = { databaseUrl: database.ownerUrl, jobs: 3, stepsPerJob: 8 };
  for (let run = 0; run < 2; run += 1) {
    const figures = await measureFloor(options);
    expect(figures).toMatchObject({ completedJobs: 3, steps: 24 });
    expect(figures.p50Ms).toBeGreaterThan(0);
  }
});
