import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
    expect([online.length, offline.length]).toEqual([count, count]);
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
    expect(await log.online({ trustedKeyIds })).toEqual(['seal 1 seal-forged']);
    expect(await log.online({ receipts: [receipt] })).toEqual(['seal 2 seal-missing']);
  });
});
