import { randomBytes, randomUUID } from 'node:crypto';
import { contentHash, EventStore, PIECE_BYTES } from '@phaseline/event-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyFiles } from './files/verify-files.js';
import { readReceipt, receiptOf } from './seal/receipt.js';
import { lastSeal } from './seal/read-seals.js';
import { openAuditKey } from './key/audit-key.js';
import { AuditedLog } from './testing/audited-log.fixture.js';

const columns =
  'position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type, correlation_id, hash, data, metadata';
const insert = (stream: string, version: number, transaction = 'pg_current_xact_id()'): string =>
  `INSERT INTO phaseline.events (${columns}) OVERRIDING SYSTEM VALUE
   SELECT nextval('phaseline.events_position_seq'), ${version}, ${transaction}, now(), gen_random_uuid(), 1, stream_id, 'Forged', correlation_id, sha256('x'), '{}', '{}'
   FROM phaseline.streams WHERE stream_id = '${stream}'`;
/** Makes the chain of a stream fit again from a version on, and its head with it: the work of somebody who knows the form. */
const rechain = (stream: string, from = 1): string => `DO $$
  DECLARE e record; previous bytea := coalesce((SELECT hash FROM phaseline.events WHERE stream_id = '${stream}' AND version = ${from - 1}), decode(repeat('00', 32), 'hex'));
  BEGIN
    FOR e IN SELECT * FROM phaseline.events WHERE stream_id = '${stream}' AND version >= ${from} ORDER BY version LOOP
      previous := phaseline.event_hash(previous, e.stream_id, e.version, e.event_id, e.type, e.schema_version,
        to_char(e.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.correlation_id, e.data::text, e.metadata::text);
      UPDATE phaseline.events SET hash = previous WHERE stream_id = e.stream_id AND version = e.version;
    END LOOP;
    UPDATE phaseline.streams SET hash = previous,
      version = (SELECT max(version) FROM phaseline.events WHERE stream_id = '${stream}') WHERE stream_id = '${stream}';
  END $$`;
const where = (version: number): string => `WHERE stream_id = 'm' AND version = ${version}`;

/** What is done, and what has to be found: no more than that. */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['nothing', [], []],
  [
    'a byte in data',
    [`UPDATE phaseline.events SET data = replace(data::text, 'größer', 'größes')::json ${where(3)}`],
    ['m 3 altered'],
  ],
  ['a byte in metadata', [`UPDATE phaseline.events SET metadata = '{"actor":"spex"}' ${where(3)}`], ['m 3 altered']],
  [
    'a microsecond',
    [`UPDATE phaseline.events SET recorded_at = recorded_at + interval '1 microsecond' ${where(1)}`],
    ['m 1 altered'],
  ],
  ['the type', [`UPDATE phaseline.events SET type = 'TodoFailed' ${where(5)}`], ['m 5 altered']],
  ['an event in the middle dropped', [`DELETE FROM phaseline.events ${where(3)}`], ['m 3 missing']],
  [
    'an event dropped and those behind it renumbered',
    [
      `DELETE FROM phaseline.events ${where(3)}`,
      ...[4, 5, 6].map((version) => `UPDATE phaseline.events SET version = ${version - 1} ${where(version)}`),
    ],
    ['m 3 missing'],
  ],
  ['the end cut off', [`DELETE FROM phaseline.events ${where(6)}`], ['m 5 truncated']],
  [
    'the end cut off together with the head',
    [`DELETE FROM phaseline.events ${where(6)}`, rechain('m', 5)],
    ['m 5 truncated'],
  ],
  ['a whole stream', [`DELETE FROM phaseline.events WHERE stream_id = 'a'`], ['a 0 truncated']],
  [
    'a whole stream together with its head',
    [`DELETE FROM phaseline.events WHERE stream_id = 'a'`, `DELETE FROM phaseline.streams WHERE stream_id = 'a'`],
    ['a 0 truncated'],
  ],
  [
    'two events swapped',
    [
      `UPDATE phaseline.events SET version = -version ${where(2)}`,
      `UPDATE phaseline.events SET version = 2 ${where(4)}`,
      `UPDATE phaseline.events SET version = 4 ${where(-2)}`,
    ],
    ['m 2 swapped'],
  ],
  [
    'neighbours swapped',
    [
      `UPDATE phaseline.events SET version = -version ${where(5)}`,
      `UPDATE phaseline.events SET version = 5 ${where(6)}`,
      `UPDATE phaseline.events SET version = 6 ${where(-5)}`,
    ],
    ['m 5 swapped'],
  ],
  [
    'an event inserted, with those behind it renumbered',
    [
      ...[6, 5, 4].map((version) => `UPDATE phaseline.events SET version = ${version + 1} ${where(version)}`),
      insert('m', 4),
    ],
    ['m 4 inserted'],
  ],
  [
    'an event added behind the last one',
    [
      insert('m', 7),
      rechain('m', 7),
      `UPDATE phaseline.streams SET version = 6, hash = (SELECT hash FROM phaseline.events ${where(6)}) WHERE stream_id = 'm'`,
    ],
    ['m 7 inserted'],
  ],
  ['an event added and dated back behind the seals', [insert('m', 7, `'3'`), rechain('m', 7)], ['m 7 inserted']],
  [
    'a stream rewritten with all its hashes',
    [`UPDATE phaseline.events SET data = '{}' ${where(2)}`, rechain('m')],
    ['m 5 rewritten'],
  ],
  ['the stored hash', [`UPDATE phaseline.events SET hash = sha256('x') ${where(2)}`], ['m 2 altered']],
  ['the id of an event', [`UPDATE phaseline.events SET event_id = gen_random_uuid() ${where(2)}`], ['m 2 altered']],
  ['the version of the shape', [`UPDATE phaseline.events SET schema_version = 2 ${where(4)}`], ['m 4 altered']],
  ['the job of an event', [`UPDATE phaseline.events SET correlation_id = 'of-another' ${where(4)}`], ['m 4 altered']],
  [
    'blanks in data, which mean nothing',
    [`UPDATE phaseline.events SET data = replace(data::text, ':', ': ')::json ${where(4)}`],
    ['m 4 altered'],
  ],
  [
    'the order of commits',
    [
      'ALTER TABLE phaseline.events ALTER COLUMN position SET GENERATED BY DEFAULT',
      `UPDATE phaseline.events SET position = -position ${where(4)}`,
    ],
    ['m 4 out-of-order'],
  ],
  ['the first event dropped', [`DELETE FROM phaseline.events ${where(1)}`], ['m 1 missing']],
  [
    'an event moved to another stream',
    [`UPDATE phaseline.events SET stream_id = 'a', version = 6 ${where(6)}`],
    ['a 6 altered', 'a 6 inserted', 'm 5 truncated'],
  ],
  ['the head of a stream removed', [`DELETE FROM phaseline.streams WHERE stream_id = 'm'`], ['m 6 head-mismatch']],
  [
    'the hash in a head',
    [`UPDATE phaseline.streams SET hash = sha256('x') WHERE stream_id = 'm'`],
    ['m 6 head-mismatch'],
  ],
  [
    'a head that names more events than there are',
    [`UPDATE phaseline.streams SET version = 9 WHERE stream_id = 'm'`],
    ['m 6 truncated'],
  ],
  [
    'a head that names fewer',
    [
      `UPDATE phaseline.streams SET version = 5, hash = (SELECT hash FROM phaseline.events ${where(5)}) WHERE stream_id = 'm'`,
    ],
    ['m 6 inserted'],
  ],
  [
    'events that are not sealed, and that others follow',
    [`UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'z' AND version = 6`],
    ['z 6 altered'],
  ],
];

describe('a superuser who gets round the triggers is found, online and in an export:', () => {
  let log: AuditedLog;
  let online: string[];
  let offline: string[];

  // All at once, each with streams of its own: one log is sealed, tampered with, verified and exported.
  const own = (index: number, text: string): string => text.replaceAll(/'([amz])'/g, `'${index}-$1'`);
  beforeAll(async () => {
    log = await AuditedLog.create();
    const each = (count: number, ...streams: string[]): Promise<unknown> =>
      Promise.all(cases.flatMap((_, index) => streams.map((stream) => log.append(`${index}-${stream}`, count))));
    await each(5, 'a', 'm', 'z');
    await log.sealAll();
    await each(1, 'm');
    await log.sealAll();
    // Not sealed: seals must not be needed for what follows them.
    await each(1, 'z');
    expect([await log.online(), await log.offline()]).toEqual([[], []]);
    await log.tamper(...cases.flatMap(([, statements], index) => statements.map((text) => own(index, text))));
    online = await log.online();
    offline = await log.offline();
  });
  afterAll(() => log.close());

  it.each(cases.map(([what, , expected], index) => ({ what, expected, index })))('$what', ({ expected, index }) => {
    const prefix = `${index}-`;
    const mine = (found: readonly string[]): string[] =>
      found.filter((problem) => problem.startsWith(prefix)).map((problem) => problem.slice(prefix.length));
    expect(mine(online)).toEqual(expected);
    expect(mine(offline)).toEqual(expected);
  });

  it('and nothing else is', () => {
    const count = cases.reduce((sum, [, , expected]) => sum + expected.length, 0);
    expect([online.length, offline.length], offline.filter((one) => !online.includes(one)).join()).toEqual([
      count,
      count,
    ]);
  });
});

/** A job with files of every kind; the names in braces stand for the names of their contents. */
const files: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['nothing', [], []],
  [
    'a file altered, in the same length',
    [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 2) WHERE hash = {small}`],
    ['f 1 file-altered'],
  ],
  [
    'a file altered, in another length',
    [`UPDATE phaseline.blobs SET content = content || 'more' WHERE hash = {small}`],
    ['f 1 file-altered'],
  ],
  ['a file emptied', [`UPDATE phaseline.blobs SET content = '' WHERE hash = {small}`], ['f 1 file-altered']],
  ['a file removed', [`DELETE FROM phaseline.blobs WHERE hash = {small}`], ['f 1 file-missing']],
  [
    'two files that changed places',
    [
      `UPDATE phaseline.blobs AS b SET content = o.content FROM phaseline.blobs AS o
       WHERE (b.hash, o.hash) IN (({small}, {tree}), ({tree}, {small}))`,
    ],
    ['f 1 file-altered', 'f 3 file-altered'],
  ],
  [
    'a file with more bytes than a row may hold',
    [`UPDATE phaseline.blobs SET content = decode(repeat('00', 1048577), 'hex') WHERE hash = {small}`],
    ['f 1 file-altered'],
  ],
  ['a file that a phase began with removed', [`DELETE FROM phaseline.blobs WHERE hash = {tree}`], ['f 3 file-missing']],
  [
    'a file that a phase began with altered',
    [`UPDATE phaseline.blobs SET content = 'forged' WHERE hash = {tree}`],
    ['f 3 file-altered'],
  ],
  ['a long text removed', [`DELETE FROM phaseline.blobs WHERE hash = {text}`], ['f 4 file-missing']],
  [
    'a long text altered',
    [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 9) WHERE hash = {text}`],
    ['f 4 file-altered'],
  ],
  [
    'the list of pieces removed',
    [
      `DELETE FROM phaseline.blob_pieces WHERE hash = {large}`,
      `DELETE FROM phaseline.blob_manifests WHERE hash = {large}`,
    ],
    ['f 2 file-missing'],
  ],
  [
    'a piece left out of the list',
    [`DELETE FROM phaseline.blob_pieces WHERE hash = {large} AND number = 1`],
    ['f 2 file-altered'],
  ],
  [
    'two pieces that changed places in the list',
    [
      `UPDATE phaseline.blob_pieces SET piece = CASE number WHEN 0 THEN {second} ELSE {first} END WHERE hash = {large} AND number < 2`,
    ],
    ['f 2 file-altered'],
  ],
  [
    'a piece in the list replaced by another file',
    [`UPDATE phaseline.blob_pieces SET piece = {first} WHERE hash = {large} AND number = 1`],
    ['f 2 file-altered'],
  ],
  [
    'the size of a large file',
    [`UPDATE phaseline.blob_manifests SET size = size - 1 WHERE hash = {large}`],
    ['f 2 file-altered'],
  ],
  [
    'a piece altered',
    [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 1000) WHERE hash = {second}`],
    ['f 2 file-altered'],
  ],
  ['a piece removed', [`DELETE FROM phaseline.blobs WHERE hash = {second}`], ['f 2 file-missing']],
  [
    'the last piece cut',
    [`UPDATE phaseline.blobs SET content = substring(content FOR 3) WHERE hash = {last}`],
    ['f 2 file-altered'],
  ],
  [
    'the name in an event, to fit a forged file',
    [
      `UPDATE phaseline.events SET data = replace(data::text, encode({small}, 'hex'), encode({tree}, 'hex'))::json WHERE stream_id = '{f}' AND version = 1`,
    ],
    // The other file has another size, too.
    ['f 1 altered', 'f 1 file-altered'],
  ],
];

describe('a superuser who changes files is found, online and in an export:', () => {
  let log: AuditedLog;
  let online: string[];
  let offline: string[];

  beforeAll(async () => {
    log = await AuditedLog.create();
    const statements: string[] = [];
    for (const [index, [, texts]] of files.entries()) {
      const large = randomBytes(2 * PIECE_BYTES + 5);
      const small = Buffer.from(`a small file of job ${index}`);
      const tree = Buffer.from(`a document of job ${index}, which is longer`);
      const text = `${index} ${'long '.repeat(5_000)}`;
      const names: Record<string, string> = {
        small: contentHash(small),
        tree: contentHash(tree),
        text: contentHash(Buffer.from(text)),
        large: contentHash(large),
        first: contentHash(large.subarray(0, PIECE_BYTES)),
        second: contentHash(large.subarray(PIECE_BYTES, 2 * PIECE_BYTES)),
        last: contentHash(large.subarray(2 * PIECE_BYTES)),
      };
      const entry = (name: string, content: Buffer): { hash: string; size: number } => ({
        hash: names[name]!,
        size: content.byteLength,
      });
      const event = (type: string, data: object) => ({
        eventId: randomUUID(),
        type,
        schemaVersion: 1,
        data: data as never,
        metadata: {},
      });
      await new EventStore(log.service).append(
        {
          streamId: `${index}-f`,
          correlationId: `of-${index}-f`,
          expectedVersion: 0,
          events: [
            event('FileWritten', { path: 'small.txt', ...entry('small', small) }),
            event('FileWritten', { path: 'large.bin', ...entry('large', large) }),
            event('PhaseStarted', {
              tree: { 'documents/a.md': entry('tree', tree), 'small.txt': entry('small', small) },
            }),
            event('ModelResponded', { content: text }),
          ],
        },
        { blobs: [small, tree, large].map((content) => ({ hash: contentHash(content), content })) },
      );
      for (const statement of texts)
        statements.push(
          statement.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            name === 'f' ? `${index}-f` : `decode('${names[name]!}', 'hex')`,
          ),
        );
    }
    await log.sealAll();
    expect([await log.online(), await log.offline({ withFiles: true })]).toEqual([[], []]);
    await log.superuser.query(
      'ALTER TABLE phaseline.blobs DROP CONSTRAINT blobs_check, DROP CONSTRAINT blobs_hold_one_piece',
    );
    await log.tamper(...statements);
    online = await log.online();
    offline = await log.offline({ withFiles: true });
  });
  afterAll(() => log.close());

  it.each(files.map(([what, , expected], index) => ({ what, expected, index })))('$what', ({ expected, index }) => {
    const prefix = `${index}-`;
    const mine = (found: readonly string[]): string[] =>
      found.filter((problem) => problem.startsWith(prefix)).map((problem) => problem.slice(prefix.length));
    expect(mine(online)).toEqual(expected);
    expect(mine(offline)).toEqual(expected);
  });

  it('and nothing else is', () => {
    const count = files.reduce((sum, [, , expected]) => sum + expected.length, 0);
    expect([online.length, offline.length], offline.filter((one) => !online.includes(one)).join()).toEqual([
      count,
      count,
    ]);
  });

  it('and a problem names job, path and version', async () => {
    const { problems, files: checked, bytes, references } = await verifyFiles(log.service, { correlationId: 'of-4-f' });
    expect(problems).toEqual([
      expect.objectContaining({
        kind: 'file-missing',
        jobId: 'of-4-f',
        streamId: '4-f',
        version: 1,
        path: 'small.txt',
      }),
    ]);
    expect([checked, references]).toEqual([4, 5]);
    expect(bytes).toBeGreaterThan(2 * PIECE_BYTES);
  });
});

describe('the seals themselves', () => {
  let log: AuditedLog;
  beforeEach(async () => {
    log = await AuditedLog.create();
    await log.append('m', 3);
    await log.append('a', 2);
    await log.sealAll();
    await log.append('m', 1);
    await log.sealAll();
  });
  afterEach(() => log.close());

  const changes: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'what one says',
      `UPDATE phaseline.seals SET events = 4 WHERE number = 1`,
      ['seal 1 seal-altered', 'seal 1 seal-forged'],
    ],
    [
      'its signature',
      `UPDATE phaseline.seals SET signature = decode(repeat('ab', 64), 'hex') WHERE number = 2`,
      ['seal 2 seal-forged'],
    ],
    // No signature covers the stored hash, and no later seal names that of the newest one.
    [
      'the hash of the newest',
      `UPDATE phaseline.seals SET hash = sha256('x') WHERE number = 2`,
      ['seal 2 seal-altered'],
    ],
    [
      'a head of it, and with that what it proves',
      `UPDATE phaseline.seal_heads SET version = 1 WHERE seal = 1 AND stream_id = 'a'`,
      ['seal 1 seal-altered'],
    ],
  ];
  it.each(changes)('cannot be changed unseen: %s', async (_, statement, expected) => {
    await log.tamper(statement);
    for (const found of [await log.online(), await log.offline()])
      for (const problem of expected) expect(found).toContainEqual(problem);
  });

  it('cannot lose the key that they were made with', async () => {
    await log.tamper('DELETE FROM phaseline.audit_keys');
    expect(await log.online()).toEqual(['seal 1 seal-forged', 'seal 2 seal-forged']);
    expect(await log.offline()).toEqual([]); // It is signed by the key that the export was made with.
  });

  it('cannot be emptied with the log where there is a receipt', async () => {
    const receipt = (await lastSeal(log.service))!;
    await log.tamper(
      'TRUNCATE phaseline.events, phaseline.streams, phaseline.seal_heads, phaseline.seals, phaseline.audit_keys',
    );
    expect(await log.online()).toEqual([]);
    expect(await log.online({ receipts: [receipt] })).toEqual(['seal 2 seal-missing']);
  });

  it('cannot lose one in the middle', async () => {
    await log.tamper('DELETE FROM phaseline.seal_heads WHERE seal = 1', 'DELETE FROM phaseline.seals WHERE number = 1');
    expect(await log.online()).toContainEqual('seal 1 seal-missing');
    expect(await log.offline()).toContainEqual('seal 2 seal-missing');
  });

  it('cannot lose the last one where there is a receipt', async () => {
    const receipt = readReceipt(JSON.stringify(receiptOf((await lastSeal(log.service))!, log.key))).seal;
    expect(await log.online({ receipts: [receipt] })).toEqual([]);
    await log.tamper('DELETE FROM phaseline.seal_heads WHERE seal = 2', 'DELETE FROM phaseline.seals WHERE number = 2');
    expect(await log.online()).toEqual([]);
    expect(await log.online({ receipts: [receipt] })).toEqual(['seal 2 seal-missing']);
  });

  it('made anew for a rewritten log are told by a receipt, and by the key where it is another one', async () => {
    const receipt = (await lastSeal(log.service))!;
    const trustedKeyIds = [log.key.keyId];
    await log.tamper(
      `UPDATE phaseline.events SET data = '{}' ${where(2)}`,
      rechain('m'),
      'TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys',
    );
    await log.sealAll(await openAuditKey(`${log.folder}/forger.pem`));
    expect(await log.online()).toEqual([]);
    expect(await log.online({ trustedKeyIds })).toEqual(['seal 1 seal-other-key']);
    expect(await log.online({ receipts: [receipt] })).toEqual(['seal 2 seal-missing']);
  });

  it('made anew with the same key are told by a receipt, in the log and in an export', async () => {
    const second = (await lastSeal(log.service))!;
    await log.tamper(
      `UPDATE phaseline.events SET data = '{}' ${where(2)}`,
      rechain('m'),
      'TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys',
    );
    await log.sealAll();
    await log.append('b', 1);
    await log.sealAll();
    const trustedKeyIds = [log.key.keyId];
    expect(await log.online({ trustedKeyIds })).toEqual([]);
    expect(await log.online({ trustedKeyIds, receipts: [second] })).toEqual(['seal 2 receipt-mismatch']);
    expect(await log.offline({ receipts: [receiptOf(second, log.key)] })).toEqual(['seal 2 receipt-mismatch']);
    // A receipt of what is there now is confirmed by both.
    const current = (await lastSeal(log.service))!;
    expect(await log.online({ receipts: [current] })).toEqual([]);
    expect(await log.offline({ receipts: [receiptOf(current, log.key)] })).toEqual([]);
  });
});
