import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { createFakeHost } from '../testing/fake-streams.js';

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

async function runAudit(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { DATABASE_URL: database.serviceUrl, PHASELINE_HOME: join(folder, 'home') };
  const host = createFakeHost({ env, currentDirectory: folder });
  const code = await runCli(['audit', ...args], host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

/** Retries, because transactions that are open in other databases of the server delay anchors. */
async function writeAnchor(): Promise<string> {
  for (;;) {
    const { code, out } = await runAudit('anchor', '--out', 'receipt.json');
    if (code === 0 && out.includes('covers  2 events in 2 streams')) return out;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('audit anchor, key, export and verify', () => {
  it('work together with the rights of a service', async () => {
    await writeAnchor();
    expect((await runAudit('anchor')).out).toContain('no new events since anchor');
    expect((await stat(join(folder, 'home/audit-key.pem'))).mode & 0o777).toBe(0o600);
    expect((await runAudit('key', '--out', 'public.pem')).out).toMatch(/^key id [0-9a-f]{64}\n/);
    expect(await readFile(join(folder, 'public.pem'), 'utf8')).toContain('BEGIN PUBLIC KEY');

    const online = await runAudit('verify', '--key', 'public.pem', '--receipt', 'receipt.json');
    expect(online).toMatchObject({ code: 0, err: '' });
    expect(online.out).toMatch(/passed: 2 events in 2 streams recomputed, all hashes match, \d+ anchors? checked\n/);
    expect(online.out).toMatch(/ {2}confirmed: every anchor is signed by a key that you gave \([0-9a-f]{64}\)\n/);
    expect(online.out).toMatch(/ {2}confirmed: the log holds every anchor of 1 receipt, up to anchor \d+ of /);
    expect(online.out).not.toMatch(/not checked|compare with the key/);
    const bare = await runAudit('verify');
    expect(bare.out).toContain('  not checked: who signed the anchors: give the public key you trust (--key)\n');
    expect(bare.out).toContain('  not checked: whether the newest anchors were removed');
    expect(bare.out).not.toContain('confirmed');
    expect((await runAudit('verify', '--no-files')).out).toContain(
      '  not checked: the content of files and long texts',
    );

    expect(await runAudit('export', '--out', 'all', '--with-files')).toMatchObject({ code: 0, err: '' });
    const offline = await runAudit(
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
    expect(JSON.parse(offline.out)).toMatchObject({ passed: true, events: 2, streams: 2, problems: [] });
    expect((await runAudit('export', '--out', 'all')).code).toBe(4);
  });

  it('export one job by a prefix of its id, and refuse an unknown one', async () => {
    const { out } = await runAudit('export', '019a', '--out', 'one');
    expect(out).toContain('1 event in 1 stream');
    expect(out).toContain('export it again --with-files');
    expect((await runAudit('verify', '--export', 'one')).code).toBe(0);
    expect((await runAudit('export', randomUUID(), '--out', 'none')).code).toBe(3);
    expect((await runAudit('export', '019a', '--out', 'one.jsonl')).code).toBe(0);
    expect(JSON.parse(await readFile(join(folder, 'one.jsonl'), 'utf8'))).toMatchObject({
      subject: `job-${JOB}`,
      data: { id: 1 },
    });
  });

  it('detect a changed export with exit code 1 and name the event', async () => {
    await runAudit('export', '--out', 'changed');
    const file = join(folder, 'changed/events.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"data":{"id":1}', '"data":{"id":2}'));
    const { code, out } = await runAudit('verify', '--export', 'changed');
    expect(code).toBe(1);
    expect(out).toContain(`job-${JOB} version 1 altered: `);
    expect(out).toContain('export file-changed: events.jsonl');
  });

  it('detect anchors signed with another key (exit code 1) and a changed receipt (exit code 4)', async () => {
    await writeAnchor();
    const other = await mkdtemp(join(folder, 'other-'));
    const { openAuditKey } = await import('@phaseline/audit');
    await writeFile(join(other, 'public.pem'), (await openAuditKey(join(other, 'key.pem'))).pem);
    const { code, out } = await runAudit('verify', '--key', join(other, 'public.pem'));
    expect(code).toBe(1);
    expect(out).toContain('anchor 1 anchor-other-key: ');
    expect(out).toContain('the signer is not the expected one');
    expect(out).not.toMatch(/changed outside of Phaseline|anchor-forged/);
    const receipt = await readFile(join(folder, 'receipt.json'), 'utf8');
    await writeFile(join(other, 'receipt.json'), receipt.replace(/"events": \d+/, '"events": 9'));
    const changed = await runAudit('verify', '--receipt', join(other, 'receipt.json'));
    expect(changed).toMatchObject({ code: 4, err: expect.stringContaining('the receipt was changed') as string });
  });

  it('refuse a file that is not a key, and --job together with --export', async () => {
    await writeFile(join(folder, 'none.pem'), 'no key');
    expect(await runAudit('verify', '--key', 'none.pem')).toMatchObject({ code: 4 });
    expect(await runAudit('verify', '--export', 'all', '--job', '019a')).toMatchObject({ code: 2 });
  });
});
