import { randomUUID } from 'node:crypto';
import { jobStream, type JobEvent } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { jobAppend, Snapshots, StreamFolds } from '@phaseline/repository';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { submitted as exampleJob } from '../testing/example-job.js';
import { fakeHost } from '../testing/fake-streams.js';

let database: TestDatabase;
let pool: pg.Pool;
const jobId = randomUUID();

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 2 });
  const store = new EventStore(pool);
  const event = exampleJob() as Extract<JobEvent, { type: 'JobSubmitted' }>;
  await store.append(jobAppend(jobId, 0, [{ ...event, data: { ...event.data, jobId } }], { actor: 'spec' }));
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function check(...args: string[]): Promise<{ code: number; out: string }> {
  const host = fakeHost({ env: { DATABASE_URL: database.serviceUrl } });
  const code = await runCli(['snapshots', 'check', ...args], host);
  expect(host.stderr.text).toBe('');
  return { code, out: host.stdout.text };
}

/** A snapshot that is right, or one of another state. */
async function keep(change: object = {}): Promise<void> {
  const store = new EventStore(pool);
  const { hash } = (await store.readAt(jobStream(jobId), 1))!;
  const state = { ...(await new StreamFolds(store).job(jobId, 1))!, ...change };
  await new Snapshots(pool).keep([{ streamId: jobStream(jobId), version: 1, hash, state }]);
}

/** Snapshots of another release, whatever they hold. */
async function keepOthers(count: number): Promise<void> {
  for (let other = 0; other < count; other += 1)
    await pool.query(
      `INSERT INTO phaseline.snapshots (stream_id, version, fold, hash, state) VALUES ($1, 1, $2, sha256('other'), '{}')`,
      [jobStream(jobId), `release-${other}`],
    );
}

it('of nothing but snapshots of other releases says that none was checked, how many were skipped, and why', async () => {
  await keepOthers(3);
  expect(await check()).toEqual({
    code: 0,
    out: '0 snapshots checked\n  not checked: 3 snapshots of other releases, which this one never reads\n',
  });
});

it('of both says how many of each', async () => {
  await keep();
  await keepOthers(1);
  expect(await check()).toEqual({
    code: 0,
    out:
      '1 snapshot checked: each is what the log folds to\n' +
      '  not checked: 1 snapshot of other releases, which this one never reads\n',
  });
  expect(JSON.parse((await check('--json')).out)).toEqual({ checked: 1, skipped: 1, problems: [] });
});

it('names one that is wrong, beside those that were skipped', async () => {
  await keep({ status: 'failed' });
  await keepOthers(2);
  const { code, out } = await check();
  expect(code).toBe(1);
  expect(out).toContain('1 of 1 snapshot are not what the log folds to; delete them with: phaseline snapshots drop');
  expect(out).toContain('not checked: 2 snapshots of other releases');
  expect(out).toContain(`${jobStream(jobId)} at version 1: differs`);
});

it('counts as skipped what belongs to the job alone that was asked for', async () => {
  await keepOthers(2);
  expect((await check('--job', randomUUID())).out).toBe('0 snapshots checked\n');
  expect((await check('--job', jobId)).out).toContain('not checked: 2 snapshots');
});
