import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sampler } from './sampler.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('samples memory, tables and commits from start to stop', async () => {
  let progress = 7;
  const sampler = await Sampler.start({
    databaseUrl: database.serviceUrl,
    processes: () => [
      { name: 'here', pid: process.pid },
      { name: 'here', pid: process.pid },
      // Larger than any process id that Linux assigns.
      { name: 'exited', pid: 2 ** 30 },
    ],
    progress: () => progress,
    everyMs: 20,
  });
  const pool = createPool(database.ownerUrl, { max: 1, applicationName: 'sampled-writer' });
  await pool.query("CREATE TABLE phaseline.sampled AS SELECT repeat('x', 1000) FROM generate_series(1, 2000)");
  await pool.query('CREATE TABLE public.elsewhere (id int)');
  for (let commit = 0; commit < 20; commit += 1) await pool.query('SELECT 1');
  await pool.end();
  await waitUntilClosed('sampled-writer');
  progress = 9;
  const samples = await sampler.stop();

  const [first, last] = [samples[0]!, samples.at(-1)!];
  expect(samples.length).toBeGreaterThan(2);
  expect(first).toMatchObject({ progress: 7, commits: 0 });
  expect(first.tablesMiB).toHaveProperty('events');
  expect(first.tablesMiB).not.toHaveProperty('sampled');
  expect(last.progress).toBe(9);
  expect(last.tablesMiB['sampled']).toBeGreaterThan(1);
  expect(last.tablesMiB['public.elsewhere']).toBe(0);
  expect(last.commits).toBeGreaterThanOrEqual(22);
  expect(last.rssMiB).toEqual({ here: expect.any(Number) as number });
  // Two processes of one name are added up.
  expect(last.rssMiB['here']).toBeGreaterThan(process.memoryUsage().rss / 1_048_576);
});

it('rejects when it is stopped after a sample has failed', async () => {
  let isBroken = false;
  const failed = Promise.withResolvers<undefined>();
  const sampler = await Sampler.start({
    databaseUrl: database.serviceUrl,
    processes: () => [],
    progress: () => {
      if (!isBroken) return 0;
      failed.resolve(undefined);
      throw new Error('no progress');
    },
    everyMs: 10,
  });
  isBroken = true;
  await failed.promise;
  isBroken = false;
  await expect(sampler.stop()).rejects.toThrow('no progress');
});

/** Waits until the server has ended the connections, because it publishes the statistics of a connection then. */
async function waitUntilClosed(applicationName: string): Promise<void> {
  const pool = createPool(database.serviceUrl, { max: 1 });
  await expect
    .poll(async () => {
      const { rowCount } = await pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [
        applicationName,
      ]);
      return rowCount;
    })
    .toBe(0);
  await pool.end();
}
