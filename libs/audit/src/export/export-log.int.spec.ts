import { createHash, randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contentHash, EventStore } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditedLog, formatProblem } from '../testing/audited-log.fixture.js';
import { createReceipt } from '../anchor/receipt.js';
import { readLastAnchor } from '../anchor/read-anchors.js';
import { exportEventFile, ExportFolderTaken, exportLog, auditCheckerUrl } from './export-log.js';
import { verifyExport } from './verify-export.js';

const unusualJson = {
  text: `größer 🙂 " \\\\ \\u0000 ,"data":{} \\n`,
  nested: [[{}], null, 1e21, -0.5],
  data: { ',"data":': ',"data_base64":"' },
  long: 'x'.repeat(30_000),
};
let log: AuditedLog;
let blob: string;
beforeAll(async () => {
  log = await AuditedLog.create();
  const store = new EventStore(log.service);
  blob = await store.blobs.put(Buffer.from('a file of job a'));
  await store.blobs.put(Buffer.from('a file of another job'));
  const event = (data: object, metadata = {}) => ({
    eventId: randomUUID(),
    type: 'FileWritten',
    schemaVersion: 2,
    data: data as never,
    metadata,
  });
  await store.append({
    streamId: 'job-a',
    correlationId: 'a',
    expectedVersion: 0,
    events: [event(unusualJson, unusualJson), event({ path: 'a.txt', hash: blob, size: 15 })],
  });
  await log.append('phase-a-1', 4, 'a');
  await log.append('job-b', 3, 'b');
  // Valid JSON that this project never writes but a log may contain: line breaks, blanks, a number in an unusual notation.
  await log.superuser.query(
    `SELECT phaseline.append_one('job-c', 'c', 0, false, false, ARRAY[gen_random_uuid()], ARRAY['Odd'], ARRAY[1], ARRAY[E'{\\n "a" : 1.0e2 ,\\r\\n"b":"\\\\u00fc"}'], ARRAY['{ }'])`,
  );
  await log.anchorAll();
  await log.append('job-b', 2, 'b');
  await log.anchorAll();
  await log.append('job-b', 1, 'b');
});
afterAll(() => log.close());

const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');
const problemsOf = async (folder: string): Promise<string[]> =>
  (await verifyExport(folder)).problems.map(formatProblem);

describe('an export', () => {
  it('verifies with its own copy of the audit checker, run without anything else', async () => {
    const folder = await log.export({ withFiles: true });
    const { stdout } = await promisify(execFile)(process.execPath, [`${folder}/check-export.mjs`, folder], {
      cwd: '/',
      env: {},
    });
    expect(JSON.parse(stdout)).toMatchObject({
      passed: true,
      events: 13,
      streams: 4,
      anchors: 2,
      keyIds: [log.key.keyId],
    });
  });

  it('conforms to CloudEvents 1.0: required attributes, lower-case names, allowed value types', async () => {
    const folder = await log.export();
    for (const line of await linesOf(`${folder}/events.jsonl`)) {
      const event = JSON.parse(line) as Record<string, unknown>;
      expect(event).toMatchObject({ specversion: '1.0', source: 'urn:phaseline', datacontenttype: 'application/json' });
      for (const name of ['id', 'type', 'subject', 'stream', 'hash', 'correlation', 'position', 'metadata'])
        expect(event[name]).toEqual(expect.stringMatching(/./));
      expect(new Date(event['time'] as string).getTime()).toBeGreaterThan(Date.now() - 3_600_000);
      for (const [name, value] of Object.entries(event)) {
        if (name === 'data' || name === 'data_base64') continue;
        expect(name).toMatch(/^[a-z0-9]{1,20}$/);
        if (typeof value === 'number') expect(Number.isInteger(value) && Math.abs(value) < 2 ** 31).toBe(true);
        else expect(typeof value).toBe('string');
      }
      expect('data' in event).not.toBe('data_base64' in event);
    }
  });

  it('keeps the exact text that was hashed, including text with line breaks', async () => {
    const folder = await log.export();
    const { rows } = await log.service.query<{ id: string; data: string; metadata: string }>(
      'SELECT event_id AS id, data::text, metadata::text FROM phaseline.events',
    );
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const line of await linesOf(`${folder}/events.jsonl`)) {
      const event = JSON.parse(line) as { id: string; metadata: string; data?: unknown; data_base64?: string };
      const { data, metadata } = stored.get(event.id)!;
      expect(event.metadata).toBe(metadata);
      if (event.data_base64 === undefined) expect(line.endsWith(`,"data":${data}}`)).toBe(true);
      else expect(Buffer.from(event.data_base64, 'base64').toString()).toBe(data);
      expect(event.data_base64 === undefined).toBe(!data.includes('\n'));
    }
  });

  it('of one job verifies on its own, contains the files of that job, and reveals nothing about other jobs', async () => {
    const folder = await log.export({ jobs: ['a'], withFiles: true });
    expect(await verifyExport(folder)).toMatchObject({ passed: true, events: 6, streams: 2, anchors: 2 });
    const blobs = (await linesOf(`${folder}/blobs.jsonl`)).map((line) => (JSON.parse(line) as { hash: string }).hash);
    expect(blobs).toContain(blob);
    expect((await readFile(`${folder}/blobs/${blob}`)).toString()).toBe('a file of job a');
    const other = createHash('sha256').update('a file of another job').digest('hex');
    expect(blobs).not.toContain(other);
    for (const file of ['events.jsonl', 'heads.jsonl', 'anchored-heads.jsonl', 'anchors.jsonl'])
      expect(await readFile(`${folder}/${file}`, 'utf8')).not.toContain('job-b');
  });

  it('is refused if the folder is not empty', async () => {
    const folder = await log.export();
    const secondExport = exportLog(log.service, { folder, key: log.key, now: () => new Date() });
    await expect(secondExport).rejects.toBeInstanceOf(ExportFolderTaken);
  });

  it('of events only contains the same lines', async () => {
    const folder = await log.export();
    await exportEventFile(log.service, `${log.folder}/bare.jsonl`, {});
    expect(await readFile(`${log.folder}/bare.jsonl`, 'utf8')).toBe(await readFile(`${folder}/events.jsonl`, 'utf8'));
  });
});

describe('an export that was changed afterwards', () => {
  let original: string;
  beforeAll(async () => {
    original = await log.export({ withFiles: true });
  });
  const copyExport = async (): Promise<string> => {
    const folder = `${log.folder}/copy-${randomUUID()}`;
    await cp(original, folder, { recursive: true });
    return folder;
  };
  const change = async (file: string, edit: (lines: string[]) => string[]): Promise<string[]> => {
    const folder = await copyExport();
    await writeFile(`${folder}/${file}`, `${edit(await linesOf(`${folder}/${file}`)).join('\n')}\n`);
    return problemsOf(folder);
  };
  // The lines are: job-a versions 1 and 2, job-b 1 to 6, job-c 1, phase-a-1 1 to 4.
  it.each<readonly [string, (lines: string[]) => string[], string]>([
    ['a byte in data', (lines) => lines.with(3, lines[3]!.replace('größer', 'größes')), 'job-b 2 altered'],
    ['a byte in metadata', (lines) => lines.with(3, lines[3]!.replace('spec\\"', 'spex\\"')), 'job-b 2 altered'],
    ['the time', (lines) => lines.with(3, lines[3]!.replace(/"time":"2/, '"time":"1')), 'job-b 2 altered'],
    ['an event dropped', (lines) => lines.toSpliced(4, 1), 'job-b 3 missing'],
    ['the end of the file cut off', (lines) => lines.slice(0, -1), 'phase-a-1 3 truncated'],
    ['the end of a stream cut off', (lines) => lines.toSpliced(7, 1), 'job-b 5 truncated'],
    ['a whole stream removed', (lines) => lines.toSpliced(2, 6), 'job-b 0 truncated'],
    [
      'an event inserted',
      (lines) => lines.toSpliced(8, 0, lines[7]!.replace('"version":6', '"version":7')),
      'job-b 7 inserted',
    ],
  ])('is detected: %s', async (_, edit, expected) => {
    const found = await change('events.jsonl', edit);
    expect(found).toContainEqual(expected);
    expect(found).toContainEqual('export file-changed');
  });

  it('is detected when only the order of the lines changed', async () => {
    const found = await change('events.jsonl', (lines) => lines.with(3, lines[4]!).with(4, lines[3]!));
    expect(found).toEqual(['export file-changed']);
  });

  it('is detected in anchors, heads, files and the manifest', async () => {
    expect(await change('anchors.jsonl', (lines) => lines.slice(0, 1))).toContainEqual('export file-changed');
    expect(await change('anchors.jsonl', ([one, two]) => [one!.replace('"streams":4', '"streams":5'), two!])).toEqual(
      expect.arrayContaining(['anchor 1 anchor-altered', 'anchor 1 anchor-forged']),
    );
    expect(await change('anchored-heads.jsonl', (lines) => lines.slice(1))).toContainEqual('anchor 1 anchor-altered');
    expect(
      await change('manifest.json', (lines) => lines.map((line) => line.replace('"events": 13', '"events": 12'))),
    ).toEqual(['export manifest-forged']);
    expect(await change(`blobs/${blob}`, () => ['another file'])).toEqual(['job-a 2 file-altered']);
  });

  it('and signed again with another key is detected by the trusted key and by a receipt', async () => {
    const folder = await copyExport();
    const receipts = [createReceipt((await readLastAnchor(log.service))!, log.key)];
    expect(await verifyExport(folder, { keys: [log.key.pem], receipts })).toMatchObject({ passed: true });
    const { openAuditKey } = await import('../key/audit-key.js');
    const forger = await openAuditKey(`${log.folder}/forger.pem`);
    expect((await verifyExport(folder, { keys: [forger.pem] })).problems.map(formatProblem)).toEqual([
      'export manifest-other-key',
      'anchor 1 anchor-other-key',
      'anchor 2 anchor-other-key',
    ]);
    const later = [{ ...receipts[0]!, anchor: { ...receipts[0]!.anchor, hash: '0'.repeat(64) } }];
    expect((await verifyExport(folder, { receipts: later })).problems.map(formatProblem)).toEqual([
      'anchor 2 receipt-mismatch',
    ]);
  });

  it.each([
    ['heads.jsonl', ['export file-missing']],
    ['anchors.jsonl', ['export file-missing']],
    ['anchored-heads.jsonl', ['export file-missing', 'anchor 1 anchor-altered', 'anchor 2 anchor-altered']],
    ['blobs.jsonl', ['export file-missing']],
    ['manifest.sig', ['export file-missing']],
    ['check-export.mjs', ['export file-missing']],
  ])('is reported as incomplete without %s', async (file, expected) => {
    const folder = await copyExport();
    await rm(`${folder}/${file}`);
    const found = await problemsOf(folder);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(found.filter((one) => one === 'export file-missing')).toHaveLength(1);
  });

  it('is reported as incomplete without its events or its manifest, with the problems that follow', async () => {
    const [first, second] = [await copyExport(), await copyExport()];
    await rm(`${first}/events.jsonl`);
    const found = await problemsOf(first);
    expect(found).toContainEqual('export file-missing');
    expect(found).toContainEqual('job-a 0 truncated');
    await rm(`${second}/manifest.json`);
    const report = await verifyExport(second);
    expect(report).toMatchObject({ passed: false, events: 13 });
    expect(report.problems.map(formatProblem)).toContainEqual('export file-missing');
  });

  it('reports a missing file with the event that refers to it, as the checker in the folder does', async () => {
    const folder = await copyExport();
    await rm(`${folder}/blobs/${blob}`);
    expect((await verifyExport(folder)).problems).toEqual([
      expect.objectContaining({ kind: 'file-missing', streamId: 'job-a', version: 2, jobId: 'a', path: 'a.txt' }),
    ]);
    const run = promisify(execFile)(process.execPath, [`${folder}/check-export.mjs`, folder], { cwd: '/', env: {} });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringContaining('file-missing') as string,
    });
  });

  it('reports an added file, folder or blob', async () => {
    const folder = await copyExport();
    await writeFile(`${folder}/notes.txt`, 'added');
    await mkdir(`${folder}/more`);
    await writeFile(`${folder}/blobs/${'ab'.repeat(32)}`, 'added');
    expect(await problemsOf(folder)).toEqual(['export file-added', 'export file-added', 'export file-added']);
  });

  it('reports a list of blobs with extra or missing entries', async () => {
    const more = `{"hash":"${'cd'.repeat(32)}","bytes":3}`;
    expect(await change('blobs.jsonl', (lines) => [...lines, more])).toEqual(
      expect.arrayContaining(['export file-changed', 'export file-missing']),
    );
    expect(await change('blobs.jsonl', (lines) => lines.slice(1))).toEqual(
      expect.arrayContaining(['export file-added', 'export file-changed']),
    );
  });

  it('reports lines that are not JSON, and a changed audit checker', async () => {
    expect(await change('anchors.jsonl', ([one, two]) => [one!.slice(0, 40), two!])).toContainEqual(
      'export file-changed',
    );
    expect(await change('events.jsonl', (lines) => ['nonsense', ...lines])).toEqual(['export file-changed']);
    expect(await change('manifest.json', () => ['{'])).toEqual(expect.arrayContaining(['export manifest-forged']));
    expect(await change('check-export.mjs', (lines) => lines.slice(1))).toEqual(['export file-changed']);
  });

  it('lists what was not checked', async () => {
    const bare = await log.export();
    expect((await verifyExport(bare)).notChecked).toEqual([
      'the content of files: the export contains none',
      'who signed: pass the public key that you trust (--key)',
      'whether the newest anchors were removed before the export: pass a receipt (--receipt)',
    ]);
    const receipts = [createReceipt((await readLastAnchor(log.service))!, log.key)];
    const report = await verifyExport(original, { keys: [log.key.pem], receipts });
    expect(report).toMatchObject({ passed: true, notChecked: [], files: 2 });
  });
});

it('an export with damaged files counts them in its summary, writes the others, and reports them when verified', async () => {
  const own = await AuditedLog.create();
  try {
    const store = new EventStore(own.service);
    const contents = ['whole', 'altered', 'removed'].map((text) => Buffer.from(text));
    const events = contents.map((content) => ({
      eventId: randomUUID(),
      type: 'FileWritten',
      schemaVersion: 1,
      data: { path: content.toString(), hash: contentHash(content), size: content.byteLength },
      metadata: {},
    }));
    const blobs = contents.map((content) => ({ hash: contentHash(content), content }));
    await store.append({ streamId: 'job-d', correlationId: 'd', expectedVersion: 0, events }, { blobs });
    await own.superuser.query('ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check');
    await own.tamper(
      `UPDATE phaseline.blobs SET content = 'another' WHERE hash = sha256('altered')`,
      `DELETE FROM phaseline.blobs WHERE hash = sha256('removed')`,
    );
    const folder = `${own.folder}/damaged`;
    const summary = await exportLog(own.service, { folder, key: own.key, now: () => new Date(), withFiles: true });
    expect(summary).toMatchObject({ blobs: 1, damaged: 2 });
    expect(await problemsOf(folder)).toEqual(['job-d 2 file-altered', 'job-d 3 file-missing']);
  } finally {
    await own.close();
  }
});

it('the audit checker has fewer than 450 lines and imports only modules of Node', async () => {
  const source = await readFile(fileURLToPath(auditCheckerUrl), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThan(450);
  expect([...source.matchAll(/ from '(.*)'|import\((.*)\)/g)].every(([, from]) => from?.startsWith('node:'))).toBe(
    true,
  );
});
