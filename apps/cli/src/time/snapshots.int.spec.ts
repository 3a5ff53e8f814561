import { randomUUID } from 'node:crypto';
import { jobStream, type JobEvent } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { buildJobAppend, Snapshots, StreamFolds } from '@phaseline/repository';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { jobSubmitted as exampleJob } from '../testing/example-job.js';
import { createFakeHost } from '../testing/fake-streams.js';

let database: TestDatabase;
let pool: pg.Pool;
const jobId = randomUUID();

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 2 });
  const store = new EventStore(pool);
  const event = exampleJob() as Extract<JobEvent, { type: 'JobSubmitted' }>;
  await store.append(
    buildJobAppend(jobId, 0, [{ ...event, data: { ...event.data, jobId } }], {
      actor: { id: 'spec', kind: 'process' },
    }),
  );
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function check(...args: string[]): Promise<{ code: number; out: string }> {
  const host = createFakeHost({ env: { DATABASE_URL: database.serviceUrl } });
  const code = await runCli(['snapshots', 'check', ...args], host);
  expect(host.stderr.text).toBe('');
  return { code, out: host.stdout.text };
}

/** Stores a snapshot of the job's state, with `change` applied to it. */
async function storeSnapshot(change: object = {}): Promise<void> {
  const store = new EventStore(pool);
  const { hash } = (await store.readAt(jobStream(jobId), 1))!;
  const state = { ...(await new StreamFolds(store).foldJob(jobId, 1))!, ...change };
  await new Snapshots(pool).store([{ streamId: jobStream(jobId), version: 1, hash, state }]);
}

/** Stores snapshots of other releases. */
async function storeForeignSnapshots(count: number): Promise<void> {
  for (let other = 0; other < count; other += 1)
    await pool.query(
      `INSERT INTO phaseline.snapshots (stream_id, version, fold_version, hash, state) VALUES ($1, 1, $2, sha256('other'), '{}')`,
      [jobStream(jobId), `release-${other}`],
    );
}

it('counts snapshots of other releases as skipped', async () => {
  await storeForeignSnapshots(3);
  expect(await check()).toEqual({
    code: 0,
    out: '0 snapshots checked\n  not checked: 3 snapshots of other releases, which this release does not read\n',
  });
});

it('counts checked and skipped snapshots', async () => {
  await storeSnapshot();
  await storeForeignSnapshots(1);
  expect(await check()).toEqual({
    code: 0,
    out:
      '1 snapshot checked: all match the log\n' +
      '  not checked: 1 snapshot of other releases, which this release does not read\n',
  });
  expect(JSON.parse((await check('--json')).out)).toEqual({ checked: 1, skipped: 1, problems: [] });
});

it('lists a wrong snapshot and counts the skipped ones', async () => {
  await storeSnapshot({ status: 'failed' });
  await storeForeignSnapshots(2);
  const { code, out } = await check();
  expect(code).toBe(1);
  expect(out).toContain('1 of 1 snapshot differ from the log; delete them with: phaseline snapshots delete');
  expect(out).toContain('not checked: 2 snapshots of other releases');
  expect(out).toContain(`${jobStream(jobId)} at version 1: differs`);
});

it('with --job counts only skipped snapshots of that job', async () => {
  await storeForeignSnapshots(2);
  expect((await check('--job', randomUUID())).out).toBe('0 snapshots checked\n');
  expect((await check('--job', jobId)).out).toContain('not checked: 2 snapshots');
});
