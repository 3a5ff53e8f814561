import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { claimFolder } from '@phaseline/workspace';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { closeAll, openTestTarget, runCheck } from '../testing/doctor-target.fixture.js';
import { workFolders } from './work-folders.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let store: EventStore;
let root: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.ownerUrl, { max: 2 });
  store = new EventStore(pool);
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'doctor-work-'));
});
afterEach(async () => {
  await closeAll();
  await rm(root, { recursive: true, force: true });
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

const openTarget = () => openTestTarget({ DATABASE_URL: database.ownerUrl, PHASELINE_WORK_DIR: root });

/** Makes the folder of a job that a process of this or another machine left. */
async function makeFolder(process: string, end: boolean): Promise<string> {
  const jobId = randomUUID();
  const event = { eventId: randomUUID(), type: 'JobSubmitted', schemaVersion: 1, data: {}, metadata: {} };
  await store.append({ streamId: `job-${jobId}`, correlationId: jobId, expectedVersion: 0, events: [event] });
  await pool.query('UPDATE phaseline.streams SET closed = $2 WHERE correlation_id = $1', [jobId, end]);
  await mkdir(join(root, process, jobId, 'phase-1'), { recursive: true });
  await writeFile(join(root, process, jobId, 'phase-1/a.txt'), 'left');
  return jobId;
}

it('reports and removes the folders of ended jobs that a dead process left, and no others', async () => {
  const here = `${hostname()}-0`;
  expect(await runCheck(await openTarget(), workFolders)).toMatchObject([{ level: 'ok' }]);
  const [open] = [await makeFolder(here, false), await makeFolder(here, true), await makeFolder(here, true)];
  const elsewhere = await makeFolder('another-machine-0', true);
  const unknown = randomUUID();
  await mkdir(join(root, here, unknown));
  const [finding] = await runCheck(await openTarget(), workFolders);
  expect(finding).toMatchObject({
    level: 'warn',
    text: expect.stringMatching(/^2 folders of ended jobs in .*left by a tool-runner that no longer runs$/),
  });
  expect(await finding!.fix!()).toBe('removed 2 folders of ended jobs');
  expect((await readdir(join(root, here))).toSorted()).toEqual([open, unknown].toSorted());
  expect(await readdir(join(root, 'another-machine-0'))).toEqual([elsewhere]);
  expect(await runCheck(await openTarget(), workFolders)).toMatchObject([{ level: 'ok' }]);
});

it('leaves the folders of a running process to it', async () => {
  const { folder, release } = await claimFolder(root);
  await makeFolder(folder.split('/').at(-1)!, true);
  expect(await runCheck(await openTarget(), workFolders)).toMatchObject([{ level: 'ok' }]);
  await release();
  expect(await runCheck(await openTarget(), workFolders)).toMatchObject([{ level: 'warn' }]);
});
