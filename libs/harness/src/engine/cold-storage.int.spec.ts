import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportLog, openAuditKey, verifyExport, verifyLog } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { ColdStorage, EventStore, Subscription, type RecordedEvent } from '@phaseline/event-store';
import { holdJob } from '@phaseline/orchestration';
import { rebuildReadModels } from '@phaseline/projections';
import { JobRepository } from '@phaseline/repository';
import { readEventIndex, Timelines, TimeTravel } from '@phaseline/time-travel';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ColdStorageFixture, mover } from './cold-storage.fixture.js';

let fixture: ColdStorageFixture;
beforeEach(async () => {
  fixture = await ColdStorageFixture.open();
});
afterEach(() => fixture.close());

const { signal } = new AbortController();

async function playAnchoredJob(): Promise<JobId> {
  const jobId = await fixture.playJob();
  await fixture.anchor();
  return jobId;
}

it('an ended job has the same events after its move, and the audit verifies them in the archive', async () => {
  const jobId = await playAnchoredJob();
  const { store, pool, cold } = fixture;
  const before = await store.readCorrelation(jobId, { texts: 'whole' });
  const phase = await store.read(`phase-${jobId}-1`);
  const verified = await verifyLog(pool, { signal, withClaims: true });
  expect(verified.problems).toEqual([]);

  const planned = await fixture.move(jobId, { dryRun: true });
  expect(await fixture.countRows(jobId)).toBe(before.length);
  const outcome = await fixture.move(jobId, { afterDays: 30 });
  expect(outcome).toEqual(planned);
  expect(outcome).toMatchObject({ kind: 'moved', events: before.length - (await fixture.countRows(jobId)) + 1 });

  const after = await store.readCorrelation(jobId, { texts: 'whole' });
  expect(after.slice(0, -1)).toEqual(before);
  expect(after.at(-1)).toMatchObject({ type: 'JobMovedToColdStorage', data: { afterDays: 30, streams: 3 } });
  expect(await store.read(`phase-${jobId}-1`)).toEqual(phase);
  expect(await store.read(`phase-${jobId}-1`, { from: 2, to: 4 })).toEqual(phase.slice(1, 4));
  expect(await store.readCorrelation(jobId, { after: before[4]!.position, limit: 7, texts: 'whole' })).toEqual(
    before.slice(5, 12),
  );
  const types = ['PhaseStarted', 'JobSubmitted'];
  expect(await store.readCorrelation(jobId, { types, texts: 'whole' })).toEqual(
    before.filter(({ type }) => types.includes(type)),
  );

  const report = await verifyLog(pool, { signal, cold, withClaims: true });
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ events: verified.events + 1, claims: verified.claims });
  expect(await fixture.move(jobId)).toEqual({ kind: 'kept', reason: 'empty' });
});

/** Appends a phase of raw events to an ended job. */
async function appendPhase(jobId: JobId, phase: number, events: number): Promise<string> {
  const streamId = `phase-${jobId}-${phase}`;
  await fixture.store.append({
    ...{ streamId, correlationId: jobId, expectedVersion: 0, closesStream: true },
    events: Array.from({ length: events }, (_, index) => ({
      ...{ eventId: crypto.randomUUID(), type: index + 1 < events ? 'Noted' : 'PhaseCompleted', schemaVersion: 1 },
      ...{ data: { index }, metadata: {} },
    })),
  });
  return streamId;
}

it('a fold and the pages of a moved stream are the same, also if the stream moves between two pages', async () => {
  const jobId = await fixture.playJob();
  const { store } = fixture;
  const long = await appendPhase(jobId, 9, 2_100);
  await fixture.anchor();
  const readState = () => new JobRepository(store).loadPhase(jobId, 2);
  const readPages = async (options?: Parameters<EventStore['iteratePages']>[1]) => {
    const pages: { version: number; data: object }[][] = [];
    for await (const page of store.iteratePages(long, options))
      pages.push(page.map(({ version, data }) => ({ version, data })));
    return pages;
  };
  const part = { from: 3, to: 1_100 };
  const [state, pages, partPages] = [await readState(), await readPages(), await readPages(part)];
  expect(pages.map((page) => page.length)).toEqual([1_000, 1_000, 100]);

  const reading = store.iteratePages(long);
  const versions = [(await reading.next()).value!.map(({ version }) => version)];
  await fixture.move(jobId);
  for await (const page of reading) versions.push(page.map(({ version }) => version));
  expect(versions).toEqual(pages.map((page) => page.map(({ version }) => version)));
  expect(await readState()).toEqual(state);
  expect(await readPages()).toEqual(pages);
  expect(await readPages(part)).toEqual(partPages);
});

it('a read that shares its query with others finds a moved stream, and one that cannot leaves the others alone', async () => {
  const { store, pool } = fixture;
  const [moved, hot] = [await fixture.playJob(), await fixture.playJob()];
  await fixture.anchor();
  const ranges = [
    [`phase-${hot}-1`, { from: 2, limit: 3 }],
    [`phase-${moved}-1`, { from: 2, limit: 3 }],
    [`phase-${moved}-2`, { from: 4, limit: 500 }],
    [`phase-${moved}-2`, { from: 500, limit: 500 }],
    [`phase-${hot}-3`, { from: 3, limit: 500 }],
  ] as const;
  const readAll = (from: EventStore) => ranges.map(([streamId, range]) => from.read(streamId, range));
  const before = await Promise.all(readAll(store));
  await fixture.move(moved);
  const queries = vi.spyOn(pool, 'query');
  onTestFinished(() => queries.mockRestore());
  expect(await Promise.all(readAll(store))).toEqual(before);
  // The second one finds out what the archive must contain.
  expect(queries).toHaveBeenCalledTimes(2);
  const outcomes = await Promise.allSettled(readAll(new EventStore(pool)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array(3).fill('rejected'), 'fulfilled']);
});

it('a process without the storage, and a lost or altered archive, are reported and never read as an empty job', async () => {
  const jobId = await playAnchoredJob();
  await fixture.move(jobId);
  const { pool, archives } = fixture;
  await expect(new EventStore(pool).read(`phase-${jobId}-1`)).rejects.toThrow('set PHASELINE_COLD_STORAGE');
  const report = await verifyLog(pool, { signal, correlationId: jobId });
  expect(report.problems.map(({ kind }) => kind)).toEqual(Array(3).fill('archive-unreadable'));

  const folder = join(archives.location, jobId);
  const [name = ''] = await readdir(folder);
  const content = await readFile(join(folder, name));
  const middle = Math.floor(content.length / 2);
  content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
  const damages: [RegExp, () => Promise<unknown>][] = [
    [/was altered/, () => writeFile(join(folder, name), content)],
    [/does not contain the archive/, () => unlink(join(folder, name))],
  ];
  for (const [reason, damage] of damages) {
    await damage();
    const cold = new ColdStorage(archives);
    await expect(new EventStore(pool, { cold }).read(`phase-${jobId}-1`)).rejects.toThrow(reason);
    const { problems } = await verifyLog(pool, { signal, cold });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toMatchObject({ kind: 'archive-unreadable', detail: expect.stringMatching(reason) });
  }
});

it('a job on hold is not moved, and neither is one whose events no anchor covers', async () => {
  const jobId = await fixture.playJob();
  expect(await fixture.move(jobId)).toEqual({ kind: 'kept', reason: 'not-anchored' });
  await holdJob(fixture.store, jobId, { actor: mover, reason: 'a case', isReleased: false });
  await fixture.anchor();
  expect(await fixture.move(jobId)).toEqual({ kind: 'kept', reason: 'held' });
  await holdJob(fixture.store, jobId, { actor: mover, reason: 'closed', isReleased: true });
  expect(await fixture.move(jobId)).toMatchObject({ kind: 'moved' });
});

it('only the function drops events, only for the archivist, and only in the transaction of the event', async () => {
  const jobId = await playAnchoredJob();
  const move = `SELECT phaseline.move_to_cold_storage('${jobId}')`;
  await expect(fixture.pool.query(move)).rejects.toThrow('permission denied');
  await expect(fixture.archivist.query(move)).rejects.toThrow('in the transaction of an event JobMovedToColdStorage');
  await expect(fixture.archivist.query('DELETE FROM phaseline.events')).rejects.toThrow('permission denied');
  await expect(fixture.owner.query('DELETE FROM phaseline.events')).rejects.toThrow('append-only');
  await fixture.move(jobId);
  await expect(fixture.owner.query('DELETE FROM phaseline.cold_streams')).rejects.toThrow('append-only');
  const phase = await fixture.store.head(`phase-${jobId}-1`);
  await expect(
    fixture.store.append({
      streamId: phase!.streamId,
      correlationId: jobId,
      expectedVersion: phase!.version,
      reopensStream: true,
      events: [{ eventId: crypto.randomUUID(), type: 'TodoAdded', schemaVersion: 1, data: {}, metadata: {} }],
    }),
  ).rejects.toThrow(/closed|ended/);
});

it('read models, a new subscription, time travel and an export are the same with the job in cold storage', async () => {
  const jobId = await playAnchoredJob();
  const { pool, cold, store, folder } = fixture;
  const views = ['jobs', 'phases', 'costs', 'tool_calls'];
  const readViews = async (): Promise<unknown[]> => {
    await rebuildReadModels(pool, { cold });
    const texts = views.map((view) => `(SELECT json_agg(v ORDER BY v::text) FROM phaseline.${view} AS v) AS ${view}`);
    return (await fixture.owner.query<object>(`SELECT ${texts.join(', ')}`)).rows;
  };
  // The event of the move is later than the window.
  const to = Date.parse((await store.readCorrelation(jobId)).at(-1)!.recordedAt);
  const look = async () => {
    const position = (await store.readCorrelation(jobId)).at(12)!.position;
    const travel = new TimeTravel(store, pool, { snapshots: false, cold });
    const timeline = await new Timelines(pool, travel.folds, cold).build(jobId, {
      now: to,
      to,
      width: 50,
      maxPhases: 9,
    });
    const index = await readEventIndex(pool, jobId, { every: 5, after: 0, cold });
    return {
      at: await travel.at(jobId, position),
      commit: await travel.moments.findCommit(jobId, position),
      lanes: timeline?.lanes.map(({ phase, spans }) => ({ phase, spans })),
      anchors: index.anchors,
    };
  };
  const [rows, seen] = [await readViews(), await look()];
  await fixture.move(jobId);
  expect(await readViews()).toEqual(rows);
  const { anchors, ...rest } = await look();
  expect({ ...rest, anchors: anchors.slice(0, seen.anchors.length) }).toEqual(seen);

  const delivered: RecordedEvent[] = [];
  const subscription = new Subscription(pool, {
    ...{ name: 'new', cold, pollMs: 5 },
    handle: async (events) => void delivered.push(...events),
  });
  await subscription.start();
  const events = await store.readCorrelation(jobId);
  await expect.poll(() => delivered.length, { timeout: 30_000 }).toBe(events.length);
  await subscription.close();
  expect(delivered).toEqual(events);

  const key = await openAuditKey(join(folder, 'key.pem'));
  await exportLog(pool, { folder: join(folder, 'export'), key, now: () => new Date(), cold, signal });
  const exported = await verifyExport(join(folder, 'export'));
  expect(exported).toMatchObject({ events: events.length, problems: [] });
}, 60_000);
