import { once } from 'node:events';
import { verifyLog } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { ColdStorage } from '@phaseline/event-store';
import { faultPointNames } from '@phaseline/fault-points';
import { readProcessState } from '@phaseline/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startMover } from './cold-storage-mover.fixture.js';
import { ColdStorageFixture } from './cold-storage.fixture.js';

let fixture: ColdStorageFixture;
beforeEach(async () => {
  fixture = await ColdStorageFixture.open();
});
afterEach(() => fixture.close());

const points = faultPointNames.filter((name) => name.startsWith('cold-storage.'));

it('a mover that is killed at any point loses nothing, and another completes the move', async () => {
  expect(points).toHaveLength(6);
  const jobs = new Map<string, JobId>();
  for (const point of points) jobs.set(point, await fixture.playJob());
  const { store, pool } = fixture;
  const events = new Map(
    await Promise.all([...jobs.values()].map(async (id) => [id, await store.readCorrelation(id)] as const)),
  );
  await fixture.anchor();
  for (const [point, jobId] of jobs) {
    expect(await once(startMover(fixture, jobId, `${point}:kill`), 'close')).toEqual([null, 'SIGKILL']);
    const outcome = point === 'cold-storage.committed' ? { kind: 'kept', reason: 'empty' } : { kind: 'moved' };
    expect({ point, ...(await fixture.move(jobId)) }).toMatchObject({ point, ...outcome });
    const after = await store.readCorrelation(jobId);
    expect(after.slice(0, -1)).toEqual(events.get(jobId));
    expect(after.at(-1)!.type).toBe('JobMovedToColdStorage');
  }
  // Also those that a killed mover had stored.
  const { rows } = await pool.query<{ archive: string }>(
    'SELECT archive FROM phaseline.cold_archives ORDER BY archive',
  );
  expect(await fixture.listArchives()).toEqual(rows.map(({ archive }) => archive));
  const cold = new ColdStorage(fixture.archives);
  expect((await verifyLog(pool, { signal: new AbortController().signal, cold })).problems).toEqual([]);
}, 120_000);

it('a server that ends the connection of a mover after the rows are dropped loses none of them', async () => {
  const jobId = await fixture.playJob();
  await fixture.anchor();
  const before = await fixture.store.readCorrelation(jobId);
  const child = startMover(fixture, jobId, 'cold-storage.dropped:stop');
  const ended = once(child, 'close');
  // Otherwise it could stop after SIGCONT, for good.
  await expect.poll(() => readProcessState(child.pid!), { timeout: 45_000 }).toBe('T');
  const { username } = new URL(fixture.archivistUrl);
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND state = 'idle in transaction' AND query ~ 'move_to_cold_storage'`;
  expect((await fixture.archivist.query(text, [username])).rowCount).toBe(1);
  child.kill('SIGCONT');
  expect(await ended).toEqual([1, null]);
  expect(await fixture.store.readCorrelation(jobId)).toEqual(before);
  expect(await fixture.move(jobId)).toMatchObject({ kind: 'moved' });
  expect((await fixture.store.readCorrelation(jobId)).slice(0, -1)).toEqual(before);
  expect(await fixture.listArchives()).toHaveLength(1);
}, 60_000);
