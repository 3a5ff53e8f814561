import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { JobId } from '@phaseline/contracts';
import type { ArchiveStore } from '@phaseline/event-store';
import { holdJob, Retention, setRetention, type RetentionResult } from '@phaseline/orchestration';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ColdStorageFixture, mover } from './cold-storage.fixture.js';
import { requestControl } from './control.fixture.js';
import { Engine } from './engine.js';
import { call, createThreePhasePolicy, DO_THE_TODO, parsePrompt } from './scripts.js';

let fixture: ColdStorageFixture;
beforeEach(async () => {
  fixture = await ColdStorageFixture.open();
});
afterEach(() => fixture.close());

const IN_31_DAYS = new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000);
const NEVER = { filesDays: null, vectorsDays: null, learningDays: null, coldDays: null };

async function run(options: { readonly now?: Date; readonly dryRun?: boolean } = {}): Promise<RetentionResult[]> {
  const { store, pool, archivist, archives } = fixture;
  const retention = new Retention(store, pool, { pool: archivist, archives });
  const results: RetentionResult[] = [];
  for await (const result of retention.run({ actor: mover, now: IN_31_DAYS, graceMs: 0, ...options }))
    results.push(result);
  return results;
}

const toKinds = (results: readonly RetentionResult[]): readonly (readonly [JobId, string])[] =>
  results.map(({ jobId, outcome }) => [jobId, outcome.kind === 'not-moved' ? outcome.reason : outcome.kind]);

it('a run moves every job whose time is over, also an encrypted one and one whose files are removed, and none before or on hold', async () => {
  const { store, pool } = fixture;
  const [plain, encrypted] = [await fixture.playJob(), await fixture.playJob({ encrypt: true })];
  const rows = await fixture.countRows(plain);
  expect(await run()).toEqual([]);
  await setRetention(store, pool, 'default', { days: { ...NEVER, coldDays: 30 }, actor: mover });
  await fixture.markReferences();
  const unanchored = [
    [plain, 'not-anchored'],
    [encrypted, 'not-anchored'],
  ];
  expect(toKinds(await run({ dryRun: true }))).toEqual(unanchored);
  expect(toKinds(await run())).toEqual(unanchored);
  expect(await fixture.listArchives()).toEqual([]);

  await fixture.anchor();
  expect(await run({ now: new Date() })).toEqual([]);
  const planned = await run({ dryRun: true });
  expect(await fixture.countRows(plain)).toBe(rows);
  await holdJob(store, encrypted, { actor: mover, reason: 'a case', isReleased: false });
  await setRetention(store, pool, 'default', { days: { ...NEVER, coldDays: 30, filesDays: 30 }, actor: mover });
  expect(toKinds(await run())).toEqual([
    [plain, 'removed'],
    [plain, 'moved'],
    [encrypted, 'held'],
  ]);
  await holdJob(store, encrypted, { actor: mover, reason: 'closed', isReleased: true });
  expect(await run()).toEqual(planned.slice(1));
  expect(await fixture.listArchives()).toHaveLength(2);
  const texts = JSON.stringify(await store.read(`phase-${encrypted}-2`));
  expect(texts).toContain('notes/a.md');
  expect(await run()).toEqual([]);
}, 60_000);

it('a job that was retried after its move moves again, with the events since then', async () => {
  const { store, pool } = fixture;
  let isBroken = true;
  const policy = createThreePhasePolicy((request) => {
    if (isBroken)
      return parsePrompt(request).turn === 0 ? call('write_file', { path: 'half.txt', content: 'half' }) : {};
    return DO_THE_TODO;
  });
  const engine = new Engine({ store, policy });
  const jobId = await engine.submitAndRun();
  await setRetention(store, pool, 'default', { days: { ...NEVER, coldDays: 30 }, actor: mover });
  await fixture.anchor();
  expect(toKinds(await run())).toEqual([[jobId, 'moved']]);

  isBroken = false;
  await requestControl(engine, jobId, { action: 'retry' });
  await fixture.markReferences();
  expect(await run()).toEqual([]);
  await engine.run(jobId);
  const events = await store.readCorrelation(jobId);
  await fixture.anchor();
  expect(toKinds(await run())).toEqual([[jobId, 'moved']]);
  expect(await fixture.listArchives()).toHaveLength(2);
  expect((await store.readCorrelation(jobId)).slice(0, -1)).toEqual(events);
});

it('a storage that alters an archive keeps the rows of its job, holds up no other job, and fails the run', async () => {
  const { store, pool, archivist, archives } = fixture;
  const [altered, moved] = [await fixture.playJob(), await fixture.playJob()];
  const rows = await fixture.countRows(altered);
  await fixture.anchor();
  await setRetention(store, pool, 'default', { days: { ...NEVER, coldDays: 30 }, actor: mover });
  // The events in it stay the same, so only the hash of the archive can tell.
  const compressAgain = (content: Uint8Array): Uint8Array =>
    zstdCompressSync(zstdDecompressSync(content), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const altering: ArchiveStore = {
    location: archives.location,
    put: (name, content) => archives.put(name, name.startsWith(altered) ? compressAgain(content) : content),
    get: (name) => archives.get(name),
  };
  const results: RetentionResult[] = [];
  const runAll = async (): Promise<void> => {
    const retention = new Retention(store, pool, { pool: archivist, archives: altering });
    for await (const result of retention.run({ actor: mover, now: IN_31_DAYS })) results.push(result);
  };
  await expect(runAll()).rejects.toThrow('was altered');
  expect(toKinds(results)).toEqual([
    [altered, 'archive-unreadable'],
    [moved, 'moved'],
  ]);
  expect(await fixture.countRows(altered)).toBe(rows);
});

it('a run says what an orchestrator lacks that cannot move jobs', async () => {
  const { store, pool, archives } = fixture;
  await fixture.playJob();
  await fixture.anchor();
  await setRetention(store, pool, 'default', { days: { ...NEVER, coldDays: 30 }, actor: mover });
  const next = (retention: Retention): Promise<unknown> => retention.run({ actor: mover, now: IN_31_DAYS }).next();
  await expect(next(new Retention(store, pool))).rejects.toThrow('set PHASELINE_COLD_STORAGE');
  await expect(next(new Retention(store, pool, { pool, archives }))).rejects.toThrow('set PHASELINE_ARCHIVIST_URL');
});
