import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { fakeHost } from '../testing/fake-streams.js';

const JOB = '019a8f00-0000-7000-8000-00000000000a';
const OTHER = '019b0000-0000-7000-8000-00000000000b';
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'phaseline-cli-audit-'));
  const pool = createPool(database.serviceUrl, { max: 2 });
  const store = new EventStore(pool);
  for (const jobId of [JOB, OTHER]) {
    const event = { eventId: randomUUID(), type: 'TodoCompleted', schemaVersion: 1, data: { id: 1 }, metadata: {} };
    await store.append({ streamId: `job-${jobId}`, correlationId: jobId, expectedVersion: 0, events: [event] });
  }
  await pool.end();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function audit(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { DATABASE_URL: database.serviceUrl, PHASELINE_HOME: join(folder, 'home') };
  const host = fakeHost({ env, currentDirectory: folder });
  const code = await runCli(['audit', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

/** Transactions that are open in other databases of the server hold seals back. */
async function sealed(): Promise<string> {
  for (;;) {
    const { code, out } = await audit('seal', '--out', 'receipt.json');
    if (code === 0 && out.includes('covers  2 events in 2 streams')) return out;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('audit seal, key, export and verify', () => {
  it('work together, with no more than the rights of a service', async () => {
    await sealed();
    expect((await audit('seal')).out).toContain('nothing is new since seal');
    expect((await stat(join(folder, 'home/audit-key.pem'))).mode & 0o777).toBe(0o600);
    expect((await audit('key', '--out', 'public.pem')).out).toMatch(/^key id [0-9a-f]{64}\n/);
    expect(await readFile(join(folder, 'public.pem'), 'utf8')).toContain('BEGIN PUBLIC KEY');

    const online = await audit('verify', '--key', 'public.pem', '--receipt', 'receipt.json');
    expect(online).toMatchObject({ code: 0, err: '' });
    expect(online.out).toMatch(/holds: 2 events in 2 streams recomputed, every hash fits, and \d+ seals?\n/);
    expect(online.out).toMatch(/ {2}confirmed: every seal is signed by a key that was given \([0-9a-f]{64}\)\n/);
    expect(online.out).toMatch(/ {2}confirmed: the log holds every seal of 1 receipt, up to seal \d+ of /);
    expect(online.out).not.toMatch(/not checked|compare that with the key/);
    const bare = await audit('verify');
    expect(bare.out).toContain('  not checked: who signed the seals: give the public key that you know (--key)\n');
    expect(bare.out).toContain('  not checked: whether the newest seals were removed');
    expect(bare.out).not.toContain('confirmed');
    expect((await audit('verify', '--no-files')).out).toContain('  not checked: the content of files and long texts');

    expect(await audit('export', '--out', 'all', '--with-files')).toMatchObject({ code: 0, err: '' });
    const offline = await audit(
      'verify',
      '--export',
      'all',
      '--key',
      'public.pem',
      '--receipt',
      'receipt.json',
      '--json',
    );
    expect(offline.code).toBe(0);
    expect(JSON.parse(offline.out)).toMatchObject({ holds: true, events: 2, streams: 2, problems: [] });
    expect((await audit('export', '--out', 'all')).code).toBe(4);
  });

  it('export one job by the beginning of its id, and refuse one that is not there', async () => {
    expect((await audit('export', '019a', '--out', 'one')).out).toContain('1 event in 1 stream');
    expect((await audit('verify', '--export', 'one')).code).toBe(0);
    expect((await audit('export', randomUUID(), '--out', 'none')).code).toBe(3);
    expect((await audit('export', '019a', '--out', 'one.jsonl')).code).toBe(0);
    expect(JSON.parse(await readFile(join(folder, 'one.jsonl'), 'utf8'))).toMatchObject({
      subject: `job-${JOB}`,
      data: { id: 1 },
    });
  });

  it('tell a changed export by exit code 1, and name the event', async () => {
    await audit('export', '--out', 'changed');
    const file = join(folder, 'changed/events.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"data":{"id":1}', '"data":{"id":2}'));
    const { code, out } = await audit('verify', '--export', 'changed');
    expect(code).toBe(1);
    expect(out).toContain(`job-${JOB} version 1 altered: `);
    expect(out).toContain('export file-changed: events.jsonl');
  });

  it('tell by exit code 1 that seals are not of the key that was given, or not those of a receipt', async () => {
    await sealed();
    const other = await mkdtemp(join(folder, 'other-'));
    const { openAuditKey } = await import('@phaseline/audit');
    await writeFile(join(other, 'public.pem'), (await openAuditKey(join(other, 'key.pem'))).pem);
    const { code, out } = await audit('verify', '--key', join(other, 'public.pem'));
    expect(code).toBe(1);
    expect(out).toContain('seal 1 seal-other-key: ');
    expect(out).toContain('Who signed is not who was expected');
    // Nobody is accused of changing rows.
    expect(out).not.toMatch(/behind the back|seal-forged/);
    const receipt = await readFile(join(folder, 'receipt.json'), 'utf8');
    await writeFile(join(other, 'receipt.json'), receipt.replace(/"events": \d+/, '"events": 9'));
    const changed = await audit('verify', '--receipt', join(other, 'receipt.json'));
    expect(changed).toMatchObject({ code: 4, err: expect.stringContaining('the receipt was changed') as string });
  });

  it('refuse a key that is none, and both a job and an export', async () => {
    await writeFile(join(folder, 'none.pem'), 'no key');
    expect(await audit('verify', '--key', 'none.pem')).toMatchObject({ code: 4 });
    expect(await audit('verify', '--export', 'all', '--job', '019a')).toMatchObject({ code: 2 });
  });
});
