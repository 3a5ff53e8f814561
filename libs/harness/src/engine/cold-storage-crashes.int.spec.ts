import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exportLog, openAuditKey, verifyExport, verifyLog } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { ColdStorage, EventStore, type RecordedEvent } from '@phaseline/event-store';
import { faultPointNames } from '@phaseline/fault-points';
import { readProcessState } from '@phaseline/testing';
import { TimeTravel } from '@phaseline/time-travel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMover } from './cold-storage-mover.fixture.js';
import { ColdStorageFixture } from './cold-storage.fixture.js';
import { CrashingServer } from './crashing-server.fixture.js';
import { Engine } from './engine.js';
import { createEngineForks, ORIGIN, positionOf, readJobOutcome } from './fork.fixture.js';

let server: CrashingServer;
let fixture: ColdStorageFixture;
beforeAll(async () => {
  server = await CrashingServer.start();
  fixture = await ColdStorageFixture.open(server.database);
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await server.close();
});

const { signal } = new AbortController();
const points = faultPointNames.filter((name) => name.startsWith('cold-storage.'));
/** The phases of a job that `playJob` plays. */
const PHASES = 3;

/** Checks a job in a process that has read nothing of it: its events, where they are, and the archives. */
async function expectWhole(jobId: JobId, events: readonly RecordedEvent[], isMoved: boolean): Promise<void> {
  const { archives, owner, pool } = fixture;
  const cold = new ColdStorage(archives);
  const found = await new EventStore(pool, { cold }).readCorrelation(jobId, { texts: 'whole' });
  expect(found.slice(0, events.length)).toEqual(events);
  expect(found.slice(events.length).map(({ type }) => type)).toEqual(isMoved ? ['JobMovedToColdStorage'] : []);
  expect(new Set(found.map(({ eventId }) => eventId)).size).toBe(found.length);

  const inPhases = events.filter(({ streamId }) => streamId.startsWith('phase-')).length;
  expect(inPhases).toBeGreaterThan(0);
  expect(await fixture.countRows(jobId)).toBe(isMoved ? events.length - inPhases + 1 : events.length);
  const { rows } = await owner.query<{ archive: string; events: number; streams: number }>(
    `SELECT archive, a.events::int, (SELECT count(*)::int FROM phaseline.cold_streams AS s WHERE s.archive = a.archive) AS streams
     FROM phaseline.cold_archives AS a WHERE a.correlation_id = $1`,
    [jobId],
  );
  expect(rows.map((row) => [row.events, row.streams])).toEqual(isMoved ? [[inPhases, PHASES]] : []);
  const stored = await fixture.listArchives();
  expect(stored).toEqual(expect.arrayContaining(rows.map(({ archive }) => archive)));
  for (const name of stored) {
    const content = await readFile(join(archives.location, name));
    expect(basename(name)).toBe(`${hash('sha256', content, 'hex')}.jsonl.zst`);
  }
  expect((await verifyLog(pool, { signal, cold })).problems).toEqual([]);
}

/** Sessions of processes that hold a lock or have an open transaction, but for the one that asks. */
async function listLocks(): Promise<unknown[]> {
  const { rows } = await fixture.owner.query<object>(
    `SELECT a.usename, a.state, a.query FROM pg_stat_activity AS a
     WHERE a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
       AND (a.xact_start IS NOT NULL OR EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = a.pid))
     UNION ALL SELECT owner, 'prepared', gid FROM pg_prepared_xacts`,
  );
  return rows;
}

it('PostgreSQL that loses power at any point of a move loses nothing, and the move is completed', async () => {
  expect(points).toHaveLength(6);
  const jobs = new Map<string, JobId>();
  for (const point of points) jobs.set(point, await fixture.playJob());
  await fixture.anchor();
  const { cold, store, pool, folder } = fixture;
  const outcomes = new Map<JobId, unknown>();
  const events = new Map<JobId, RecordedEvent[]>();
  for (const jobId of jobs.values()) {
    events.set(jobId, await store.readCorrelation(jobId, { texts: 'whole' }));
    outcomes.set(jobId, await readJobOutcome(new TimeTravel(store, pool, { snapshots: false, cold }), jobId));
  }

  for (const [point, jobId] of jobs) {
    const before = events.get(jobId)!;
    const mover = startMover(fixture, jobId, `${point}:stop`);
    const ended = once(mover, 'close');
    await expect.poll(() => readProcessState(mover.pid!), { timeout: 45_000 }).toBe('T');
    await server.crash();
    const isCommitted = point === 'cold-storage.committed';
    await expectWhole(jobId, before, isCommitted);
    mover.kill('SIGCONT');
    const [code] = (await ended) as [number | null];
    // Its transaction was lost with the server.
    if (['cold-storage.appended', 'cold-storage.dropped'].includes(point))
      expect({ point, code }).toEqual({ point, code: 1 });
    // A mover without an open transaction may have continued on a new connection.
    const isMoved = isCommitted || (await fixture.countRows(jobId)) < before.length;
    await expectWhole(jobId, before, isMoved);
    const expected = isMoved ? { kind: 'kept', reason: 'empty' } : { kind: 'moved' };
    expect({ point, ...(await fixture.move(jobId)) }).toMatchObject({ point, ...expected });
    await expectWhole(jobId, before, true);
    expect(await listLocks()).toEqual([]);
  }

  const key = await openAuditKey(join(folder, 'key.pem'));
  await exportLog(pool, { folder: join(folder, 'export'), key, now: () => new Date(), cold, signal });
  const total = [...events.values()].reduce((sum, list) => sum + list.length + 1, 0);
  expect(await verifyExport(join(folder, 'export'))).toMatchObject({ events: total, problems: [] });
  const askNobody = (): never => {
    throw new Error('a replay asked the model');
  };
  for (const [jobId, before] of events) {
    const engine = new Engine({ store, policy: askNobody });
    const travel = new TimeTravel(store, pool, { snapshots: false, cold });
    expect(await readJobOutcome(travel, jobId)).toEqual(outcomes.get(jobId));
    const options = { position: positionOf(before, 'PhaseStarted', 1), mode: 'recorded' } as const;
    const fork = (await createEngineForks(store, travel, engine).fork(jobId, options, ORIGIN))!.jobId;
    await engine.run(fork);
    expect(await readJobOutcome(travel, fork)).toEqual(outcomes.get(jobId));
  }
  expect(await listLocks()).toEqual([]);
}, 180_000);
