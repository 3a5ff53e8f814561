import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPool,
  EventStore,
  Subscription,
  UnmirroredFiles,
  listUnmirroredFiles,
  type NewEvent,
} from '@phaseline/event-store';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { Mirror } from '@phaseline/workspace';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MIRRORED_TYPES, mirrorEvents, mirrorFile, type MirrorParts } from './mirror-tail.js';

const AT = '2026-01-01T00:00:00.000Z';

/** 100 characters, which a path allows, and 300 bytes, which file systems do not. */
const LONG_NAME = '\u6587'.repeat(100);

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let root: string;
let parts: MirrorParts;
let unmirrored: UnmirroredFiles;
let reported: string[];
let reader: Subscription | undefined;
let names = 0;

// One database per test, because a mirror reads the log from its start.
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 10 });
  store = new EventStore(pool);
  root = join(await mkdtemp(join(tmpdir(), 'phaseline-mirror-')), 'root');
  reported = [];
  names += 1;
  unmirrored = new UnmirroredFiles(pool, { mirror: `mirror-${names}`, location: `here:${root}` });
  parts = {
    mirror: new Mirror(root),
    blobs: store.blobs,
    lineage: { jobBase: async () => undefined, phaseBase: async () => undefined } as never,
    unmirrored,
    onUnmirrored: ({ path }) => reported.push(path),
  };
});
afterEach(async () => {
  await reader?.close(1_000);
  reader = undefined;
  await store.close();
  await pool.end();
  await database.drop();
  await rm(join(root, '..'), { recursive: true, force: true });
});

async function write(jobId: string, path: string, text: string, more: Record<string, string> = {}): Promise<void> {
  const content = new TextEncoder().encode(text);
  const hash = createHash('sha256').update(content).digest('hex');
  const data = { path, hash, size: content.byteLength, writtenAt: AT, ...more };
  await append(jobId, 'FileWritten', data, [{ hash, content }]);
}

async function append(
  jobId: string,
  type: string,
  data: NewEvent['data'],
  blobs: { hash: string; content: Uint8Array }[] = [],
  schemaVersion = 1,
): Promise<void> {
  const event: NewEvent = { eventId: randomUUID(), type, schemaVersion, data, metadata: {} };
  await store.append(
    { streamId: `phase-${jobId}-1`, correlationId: jobId, expectedVersion: 'any', events: [event] },
    { blobs },
  );
}

/** Mirrors the whole log as a tool-runner does, with all jobs in one partition. */
async function mirrorAll(): Promise<void> {
  await reader?.close(1_000);
  reader = new Subscription(pool, {
    name: `mirror-${names}`,
    partitions: 1,
    pollMs: 10,
    types: MIRRORED_TYPES,
    handle: (events) => mirrorEvents(events, parts),
  });
  await reader.start();
  const { rows } = await pool.query<{ transaction_id: string; position: string }>(
    'SELECT transaction_id, position FROM phaseline.events ORDER BY transaction_id DESC, position DESC LIMIT 1',
  );
  const horizon = { transactionId: rows[0]!.transaction_id, position: Number(rows[0]!.position) };
  expect(await reader.waitFor(horizon, 15_000)).toBe(true);
}

const onDisk = (jobId: string, path: string): string => join(root, `job_${jobId}`, path);
const read = (jobId: string, path: string): Promise<string> => readFile(onDisk(jobId, path), 'utf8');
const retry = (all = true): Promise<number> => unmirrored.retry((file) => mirrorFile(file, parts), { all });

it('a name that is too long, a folder in the way and a missing blob delay no other file of the partition', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await mkdir(onDisk(first, 'output/report.md'), { recursive: true });
  await write(first, `output/${LONG_NAME}`, 'one');
  await write(first, `${LONG_NAME}/deep.md`, 'two');
  await write(first, 'output/report.md', 'three');
  await append(first, 'FileWritten', { path: 'lost.md', hash: 'ab'.repeat(32), size: 3, writtenAt: AT });
  await append(first, 'FileWritten', { path: 'lost-large.bin', hash: 'cd'.repeat(32), size: 5_000_000, writtenAt: AT });
  await write(first, 'output/after.md', 'four');
  await write(second, 'output/other.md', 'five');
  await mirrorAll();

  expect(await read(first, 'output/after.md')).toBe('four');
  expect(await read(second, 'output/other.md')).toBe('five');
  await expect(stat(onDisk(first, 'lost-large.bin'))).rejects.toThrow('ENOENT');
  expect(reported.toSorted()).toEqual(
    ['lost-large.bin', 'lost.md', `output/${LONG_NAME}`, 'output/report.md', `${LONG_NAME}/deep.md`].toSorted(),
  );
  const { total, files } = await listUnmirroredFiles(pool, 10);
  expect(total).toBe(5);
  expect(files.find(({ path }) => path === 'output/report.md')).toMatchObject({
    jobId: first,
    location: `here:${root}`,
    reason: expect.stringContaining('there is a folder in its place'),
  });
  expect(files.find(({ path }) => path === `output/${LONG_NAME}`)?.reason).toContain('its name is too long');
});

it('writes a skipped file as soon as possible, and warns once per file', async () => {
  const job = randomUUID();
  await mkdir(onDisk(job, 'output/report.md'), { recursive: true });
  await write(job, 'output/report.md', 'first');
  await write(job, 'output/report.md', 'second');
  await mirrorAll();
  expect(reported).toEqual(['output/report.md']);
  // Not due yet, because it was just tried.
  expect(await retry(false)).toBe(0);
  expect(await retry()).toBe(0);
  await rmdir(onDisk(job, 'output/report.md'));
  expect(await retry()).toBe(1);
  expect(await read(job, 'output/report.md')).toBe('second');
  expect((await listUnmirroredFiles(pool, 10)).total).toBe(0);
});

it('keeps the mode of a file that is retried', async () => {
  const job = randomUUID();
  await mkdir(onDisk(job, 'run.sh'), { recursive: true });
  await write(job, 'run.sh', 'echo', { mode: 'executable' });
  await mirrorAll();
  await rmdir(onDisk(job, 'run.sh'));
  expect(await retry()).toBe(1);
  expect((await stat(onDisk(job, 'run.sh'))).mode & 0o777).toBe(0o755);
});

it('a later version or a deletion replaces a skipped file', async () => {
  const job = randomUUID();
  await mkdir(onDisk(job, 'a.md'), { recursive: true });
  await mkdir(onDisk(job, 'b.md'), { recursive: true });
  await write(job, 'a.md', 'old');
  await write(job, 'b.md', 'old');
  await mirrorAll();
  expect((await listUnmirroredFiles(pool, 10)).total).toBe(2);
  await rmdir(onDisk(job, 'a.md'));
  await rmdir(onDisk(job, 'b.md'));
  await write(job, 'a.md', 'new');
  await append(job, 'FileDeleted', { path: 'b.md' });
  await mirrorAll();
  expect(await read(job, 'a.md')).toBe('new');
  expect(await retry()).toBe(0);
  expect(await read(job, 'a.md')).toBe('new');
  await expect(stat(onDisk(job, 'b.md'))).rejects.toThrow('ENOENT');
  expect((await listUnmirroredFiles(pool, 10)).total).toBe(0);
});

it('contains the files that the system changed before a phase, and not those that it removed', async () => {
  const job = randomUUID();
  for (const [path, text] of Object.entries({ 'kept.md': 'kept', 'list.json': 'old', 'removed.md': 'old' }))
    await write(job, path, text);
  const content = new TextEncoder().encode('new');
  const hash = createHash('sha256').update(content).digest('hex');
  const entry = { hash, size: content.byteLength, writtenAt: AT };
  // The content of a file that is not named as changed is not read.
  const tree = { 'list.json': entry, 'kept.md': { ...entry, hash: 'ab'.repeat(32) } };
  const { type, data } = buildPhaseStart({ workspace: { tree, changed: ['list.json', 'removed.md'] } });
  await append(job, type, JSON.parse(JSON.stringify(data)) as NewEvent['data'], [{ hash, content }], 4);
  await mirrorAll();

  expect(await read(job, 'list.json')).toBe('new');
  expect(await read(job, 'kept.md')).toBe('kept');
  await expect(stat(onDisk(job, 'removed.md'))).rejects.toThrow('ENOENT');
  expect(reported).toEqual([]);
});

it('an unreadable event delays no other job', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await append(first, 'FileWritten', { path: 7 });
  await write(second, 'a.md', 'one');
  await mirrorAll();
  expect(await read(second, 'a.md')).toBe('one');
  expect((await listUnmirroredFiles(pool, 10)).files).toMatchObject([{ jobId: first, path: '' }]);
});

it('waits while nothing can be written at all, instead of skipping each file', async () => {
  const job = randomUUID();
  await write(job, 'a.md', 'one');
  // A file where the root folder is expected: not even a superuser can write below it.
  await writeFile(root, '');
  const [event] = await store.readCorrelation(job);
  await expect(mirrorEvents([event!], parts)).rejects.toThrow('could not be written to the mirror');
  expect((await listUnmirroredFiles(pool, 10)).total).toBe(0);
  await rm(root);
  await mirrorEvents([event!], parts);
  expect(await read(job, 'a.md')).toBe('one');
});

it('removes nothing through a symbolic link', async () => {
  const job = randomUUID();
  const outside = join(root, '..', 'outside');
  await mkdir(join(root, `job_${job}`), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'mine.md'), 'kept');
  await symlink(outside, onDisk(job, 'folder'));
  await append(job, 'FileDeleted', { path: 'folder/mine.md' });
  await mirrorAll();
  expect(await readFile(join(outside, 'mine.md'), 'utf8')).toBe('kept');
});
