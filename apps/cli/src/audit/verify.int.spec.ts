import { randomUUID } from 'node:crypto';
import { contentHash, createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost, FakeStream } from '../testing/fake-streams.js';

const UNTOUCHED = '019a8f00-0000-7000-8000-00000000000a';
const ALTERED = '019b0000-0000-7000-8000-00000000000b';

let database: TestDatabase;
let owner: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool(database.ownerUrl, { max: 2 });
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

beforeEach(async () => {
  await tamper('TRUNCATE phaseline.events; TRUNCATE phaseline.streams');
  const pool = createPool(database.serviceUrl, { max: 2 });
  const store = new EventStore(pool);
  for (const jobId of [UNTOUCHED, ALTERED]) {
    const events = [1, 2, 3].map((id) => ({
      eventId: randomUUID(),
      type: 'TodoCompleted',
      schemaVersion: 1,
      data: { id },
      metadata: {},
    }));
    await store.append({ streamId: `job-${jobId}`, correlationId: jobId, expectedVersion: 0, events });
  }
  await pool.end();
});

/** Runs SQL as a superuser could, with the triggers switched off. */
async function tamper(sql: string): Promise<void> {
  await owner.query(
    `ALTER TABLE phaseline.events DISABLE TRIGGER ALL; ${sql}; ALTER TABLE phaseline.events ENABLE TRIGGER ALL`,
  );
}

async function verify(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({ env: { DATABASE_URL: database.serviceUrl } });
  const code = await runCli(['audit', 'verify', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

describe('audit verify', () => {
  it('passes on an untouched log, with the rights of a service', async () => {
    expect(await verify()).toEqual({
      code: 0,
      out:
        '✓ audit verify passed: 6 events in 2 streams recomputed, all hashes match\n' +
        '  not checked: whether the ends of streams, or whole streams, were removed: there is no anchor (phaseline audit anchor)\n',
      err: '',
    });
  });

  it('detects one changed byte and names stream and version', async () => {
    await tamper(`UPDATE phaseline.events SET data = '{"id":9}' WHERE stream_id = 'job-${ALTERED}' AND version = 2`);
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(`  job-${ALTERED} version 2 altered: `);
    expect(out).not.toContain(UNTOUCHED);
  });

  it('detects a removed tail', async () => {
    await tamper(`DELETE FROM phaseline.events WHERE stream_id = 'job-${ALTERED}' AND version = 3`);
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining('version 2 truncated') as string });
  });

  it('with --job checks only that job, given its id or a prefix of it', async () => {
    await tamper(`UPDATE phaseline.events SET type = 'Other' WHERE stream_id = 'job-${ALTERED}' AND version = 1`);
    expect(await verify('--job', UNTOUCHED)).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 events in 1 stream ') as string,
    });
    expect((await verify('--job', '019b')).code).toBe(1);
    expect((await verify('--job', '019')).code).toBe(2);
    expect((await verify('--job', 'ffff')).code).toBe(3);
    expect((await verify('--job', randomUUID())).code).toBe(3);
  });

  it('prints one JSON document with --json', async () => {
    await tamper(`UPDATE phaseline.events SET data = '{"id":9}' WHERE stream_id = 'job-${ALTERED}' AND version = 2`);
    const { code, out } = await verify('--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      passed: false,
      events: 6,
      streams: 2,
      problemCount: 1,
      problems: [{ streamId: `job-${ALTERED}`, version: 2, kind: 'altered' }],
    });
    expect(out).not.toContain(new URL(database.serviceUrl).password);
  });

  it('with --claims derives what was completed, and names what the log does not prove', async () => {
    const unknown = await verify('--claims', '--job', ALTERED);
    expect(unknown.out).toContain('  not checked: streams with events of a newer release: 1\n');
    const pool = createPool(database.serviceUrl, { max: 2 });
    const data = { summary: '', deliverables: [], confidence: 1, notes: '' };
    const event = { eventId: randomUUID(), type: 'JobCompleted', schemaVersion: 3, data, metadata: {} };
    const jobId = randomUUID();
    const streamId = `job-${jobId}`;
    await new EventStore(pool).append({ streamId, correlationId: jobId, expectedVersion: 0, events: [event] });
    await pool.end();
    const { code, out } = await verify('--claims', '--job', jobId);
    expect(code).toBe(1);
    expect(out).toContain(
      `  job-${jobId} version 1 claim-not-derived: the completion of the job: no phase of the job has ended\n`,
    );
    expect(out).toContain('All hashes match, but the log accepts claims that it does not prove.');
    expect((await verify('--job', jobId)).code).toBe(0);
    await tamper('TRUNCATE phaseline.events; TRUNCATE phaseline.streams');
    const empty = await verify('--claims', '--json');
    expect(JSON.parse(empty.out)).toMatchObject({ passed: true, claims: 0, derivedClaims: 0 });
  });

  it('shows a progress bar once it takes long, and removes it before the outcome', async () => {
    const stdout = new FakeStream(80);
    let now = 0;
    const host = createFakeHost({ stdout, env: { DATABASE_URL: database.serviceUrl }, now: () => (now += 5_000) });
    expect(await runCli(['audit', 'verify'], host)).toBe(0);
    expect(stdout.text).toContain('6 of 6 events');
    expect(stdout.text.slice(stdout.text.lastIndexOf('\u001b[J'))).toContain('audit verify passed');
  });

  it('names a missing file with job and path, unless files are skipped; doctor reports it too', async () => {
    const pool = createPool(database.serviceUrl, { max: 2 });
    const store = new EventStore(pool);
    const content = Buffer.from('the deliverable');
    const [kept, deleted] = [Buffer.from('another one'), content].map((bytes, index) => ({
      hash: contentHash(bytes),
      size: bytes.byteLength,
      path: `output/${index}.md`,
    }));
    await store.append(
      {
        streamId: `phase-${ALTERED}-1`,
        correlationId: ALTERED,
        expectedVersion: 0,
        events: [kept!, deleted!].map((data) => ({
          eventId: randomUUID(),
          type: 'FileWritten',
          schemaVersion: 1,
          data,
          metadata: {},
        })),
      },
      { blobs: [content, Buffer.from('another one')].map((bytes) => ({ hash: contentHash(bytes), content: bytes })) },
    );
    await pool.end();
    expect((await verify()).out).toContain('8 events in 3 streams, 2 files (26 B) recomputed');
    await owner.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    await owner.query('DELETE FROM phaseline.blobs WHERE hash = $1', [Buffer.from(deleted!.hash, 'hex')]);
    await owner.query('ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only');
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(
      `  phase-${ALTERED}-1 version 2 file-missing: output/1.md of job ${ALTERED}: its content is not stored\n`,
    );
    expect((await verify('--job', UNTOUCHED)).code).toBe(0);
    expect((await verify('--no-files')).code).toBe(0);
    const host = createFakeHost({ env: { DATABASE_URL: database.serviceUrl } });
    await runCli(['doctor', '--only', 'files'], host);
    expect(host.stdout.text).toContain('1 of 2 files');
  });

  it('counts the files of encrypted jobs that need the key, even if the row of the key was deleted', async () => {
    const pool = createPool(database.serviceUrl, { max: 2 });
    const masterKeys = MasterKeys.parse(MasterKeys.generate());
    const store = new EventStore(pool, { encryption: { masterKeys, redact: () => ({}), keyCacheMs: 1_000 } });
    const jobId = '019a8f00-0000-8000-8000-00000000000c';
    const event = { eventId: randomUUID(), type: 'TodoCompleted', schemaVersion: 1, data: { id: 1 }, metadata: {} };
    await store.append({ streamId: `job-${jobId}`, correlationId: jobId, expectedVersion: 0, events: [event] });
    for (const content of ['one', 'two']) await store.blobs.forJob(jobId).put(Buffer.from(content));
    await pool.end();
    const sentence = 'not checked: 2 files of 1 encrypted job: their hashes are known only with the key';
    const whole = await verify();
    expect([whole.code, whole.out.includes(sentence)]).toEqual([0, true]);
    expect((await verify('--job', jobId)).out).toContain(sentence);
    expect((await verify('--job', UNTOUCHED)).out).not.toContain('encrypted');
    expect((await verify('--no-files')).out).not.toContain('encrypted');
    await owner.query(
      `ALTER TABLE phaseline.job_keys DISABLE TRIGGER USER; ALTER TABLE phaseline.encrypted_blobs DISABLE TRIGGER USER;
       DELETE FROM phaseline.encrypted_blobs; DELETE FROM phaseline.job_keys;
       ALTER TABLE phaseline.job_keys ENABLE ALWAYS TRIGGER job_keys_are_kept;
       ALTER TABLE phaseline.encrypted_blobs ENABLE ALWAYS TRIGGER encrypted_blobs_are_append_only`,
    );
    expect((await verify()).out).toContain('not checked: 0 files of 1 encrypted job');
  });

  it('says of an emptied log that only a receipt could show what was removed', async () => {
    await tamper('TRUNCATE phaseline.events; TRUNCATE phaseline.streams');
    const { code, out } = await verify();
    expect(code).toBe(0);
    expect(out).toContain('  not checked: whether this log ever held events: it is empty');
  });

  it('reports an unreachable database', async () => {
    const url = new URL(database.serviceUrl);
    url.port = '1';
    const host = createFakeHost({ env: { DATABASE_URL: url.href } });
    const terminal = createFakeHost({ env: { DATABASE_URL: url.href }, stdout: new FakeStream(80) });
    // On a terminal, progress is shown, and events are counted for it first.
    for (const one of [host, terminal]) {
      expect(await runCli(['audit', 'verify'], one)).toBe(5);
      expect(one.stderr.text).toMatch(/^error: the database cannot be reached: .*127\.0\.0\.1:1/i);
      expect(one.stderr.text).not.toContain(url.password);
    }
  });

  it('reports that there is no log to verify', async () => {
    const host = createFakeHost({ currentDirectory: '/nowhere' });
    expect(await runCli(['audit', 'verify'], host)).toBe(2);
    expect(host.stderr.text).toContain('No log found');
  });
});
