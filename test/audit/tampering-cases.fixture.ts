import { appendFile, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createHash, randomUUID } from 'node:crypto';
import { storeReceipts, openAuditKey, readAuditKey, RECEIPTS_FILE, type AuditKey } from '@phaseline/audit';
import { type AuditedLog } from '@phaseline/audit/testing';

/** What is tampered with. `manifests` are the lists of pieces of large files; `anchors` includes their keys and receipts. */
export type Area = 'events' | 'streams' | 'blobs' | 'manifests' | 'anchors' | 'exports';

interface Way {
  readonly name: string;
  readonly area: Area;
  /** Heading in docs/concepts/audit.md of the limit that explains why the change is not detected, and of its remedy. */
  readonly limit?: string;
}

/** A change of rows. Problems have the form `<stream> <version> <kind>` or `seal <number> <kind>`. */
export interface RowCase extends Way {
  /** Problems that `audit verify` reports. */
  readonly online: readonly string[];
  /** Problems that the audit checker reports for an export made afterwards; default: the same. */
  readonly offline?: readonly string[];
}

/** A case that shares a log with other cases; each has its own streams and files. */
export interface SharedCase extends RowCase {
  readonly sql: readonly string[];
}

/** A case with its own log. */
export interface LogCase extends RowCase {
  readonly sql?: readonly string[];
  readonly tamper?: (log: AuditedLog) => Promise<void>;
  /** Checks of `doctor` that have findings. */
  readonly doctor?: readonly string[];
  /** Problems reported with the trusted public key, and with the receipts stored before; default: the same. */
  readonly withKey?: readonly string[];
  readonly withReceipt?: readonly string[];
}

/** A change of the files of an export. */
export interface ExportCase extends Way {
  readonly tamper: (folder: string, more: ExportContext) => Promise<void>;
  readonly offline: readonly string[];
  readonly withKey?: readonly string[];
  readonly withReceipt?: readonly string[];
}

export interface ExportContext {
  /** An older export of the same log, and an export of some of its jobs. */
  readonly older: string;
  readonly partial: string;
  readonly forger: AuditKey;
  /** Name of a blob in the export. */
  readonly blob: string;
}

/** Limits of the audit: headings of docs/concepts/audit.md. */
export const LIMITS = {
  tail: 'Events after the last anchor',
  newest: 'The newest anchors are removed with what they cover',
  key: 'Anchors are created again with another key',
  ownKey: 'Anchors are created again with the key of the service',
  order: 'Positions and transaction ids are changed',
  encrypted: 'Files of encrypted jobs are changed',
  unnamed: 'Content that no event names is changed',
  derived: 'Read models, snapshots and other derived rows are changed',
  functions: 'The functions of the database are changed',
  readers: 'Different readers are shown different rows',
  fork: 'The stream of a forked phase is closed or opened',
  receipts: 'Receipts are kept where the administrator can write',
  older: 'An older export is passed off as the newest',
  resigned: 'An export is changed and signed again',
  some: 'An export of some jobs leaves out a stream',
} as const;

const columns =
  'position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type, correlation_id, hash, data, metadata';

export function insertEventSql(
  stream: string,
  version: number | string,
  how: { transaction?: string; type?: string } = {},
): string {
  return `INSERT INTO phaseline.events (${columns}) OVERRIDING SYSTEM VALUE
   SELECT nextval('phaseline.events_position_seq'), ${version}, ${how.transaction ?? 'pg_current_xact_id()'}, now(), gen_random_uuid(), 1,
     stream_id, '${how.type ?? 'Forged'}', correlation_id, sha256('x'), '{}', '{}'
   FROM phaseline.streams WHERE stream_id = '${stream}'`;
}

/** Recomputes the hashes of a stream from a version on, and its head, as an attacker who knows the format can. */
export function recomputeHashesSql(stream: string, from = 1): string {
  return `DO $$
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
}

const where = (version: number | string): string => `WHERE stream_id = 'm' AND version = ${version}`;
const set = (change: string, version: number | string): string =>
  `UPDATE phaseline.events SET ${change} ${where(version)}`;
const head = (change: string, stream = 'm'): string =>
  `UPDATE phaseline.streams SET ${change} WHERE stream_id = '${stream}'`;
const hashAt = (version: number): string => `(SELECT hash FROM phaseline.events ${where(version)})`;
/** Makes the position column writable. Must run before statements that change positions. */
const AS_GIVEN = 'ALTER TABLE phaseline.events ALTER COLUMN position SET GENERATED BY DEFAULT';

/**
 * Streams: 'a' and 'z' have 5 anchored events, 'm' has 5 in the first anchor and 1 in the second, and 'z' has one more that is not
 * anchored. 'job-done' was submitted and completed, 'job-open' was submitted, 'phase-fork' was forked.
 */
export const streamCases: readonly SharedCase[] = [
  // Events that were changed.
  {
    name: 'a byte in data',
    area: 'events',
    sql: [set(`data = replace(data::text, 'größer', 'größes')::json`, 3)],
    online: ['m 3 altered'],
  },
  {
    name: 'a byte in metadata',
    area: 'events',
    sql: [set(`metadata = '{"actor":"spex"}'`, 3)],
    online: ['m 3 altered'],
  },
  {
    name: 'a microsecond',
    area: 'events',
    sql: [set(`recorded_at = recorded_at + interval '1 microsecond'`, 1)],
    online: ['m 1 altered'],
  },
  { name: 'an infinite time', area: 'events', sql: [set(`recorded_at = 'infinity'`, 2)], online: ['m 2 altered'] },
  {
    name: 'a negative infinite time',
    area: 'events',
    sql: [set(`recorded_at = '-infinity'`, 6)],
    online: ['m 6 altered'],
  },
  {
    name: 'a year beyond the range of a JavaScript Date',
    area: 'events',
    sql: [set(`recorded_at = '290000-01-01'`, 4)],
    online: ['m 4 altered'],
  },
  { name: 'the type', area: 'events', sql: [set(`type = 'TodoFailed'`, 5)], online: ['m 5 altered'] },
  {
    name: 'the id of an event',
    area: 'events',
    sql: [set('event_id = gen_random_uuid()', 2)],
    online: ['m 2 altered'],
  },
  { name: 'the schema version', area: 'events', sql: [set('schema_version = 2', 4)], online: ['m 4 altered'] },
  {
    name: 'the job of an event',
    area: 'events',
    sql: [set(`correlation_id = 'of-another'`, 4)],
    online: ['m 4 altered'],
  },
  {
    name: 'insignificant blanks in data',
    area: 'events',
    sql: [set(`data = replace(data::text, ':', ': ')::json`, 4)],
    online: ['m 4 altered'],
  },
  { name: 'the stored hash', area: 'events', sql: [set(`hash = sha256('x')`, 2)], online: ['m 2 altered'] },
  { name: 'a stored hash of one byte', area: 'events', sql: [set(`hash = '\\x00'`, 2)], online: ['m 2 altered'] },
  {
    name: 'a stored hash of 100,000 bytes',
    area: 'events',
    sql: [set(`hash = decode(repeat('ab', 100000), 'hex')`, 6)],
    online: ['m 6 altered'],
  },
  {
    name: 'an event that is not anchored',
    area: 'events',
    sql: [`UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'z' AND version = 6`],
    online: ['z 6 altered'],
  },
  {
    name: 'a stream rewritten with all its hashes',
    area: 'events',
    sql: [set(`data = '{}'`, 2), recomputeHashesSql('m')],
    online: ['m 5 rewritten'],
  },
  {
    name: 'an anchored stream moved to another job with all its hashes',
    area: 'events',
    sql: [
      `UPDATE phaseline.events SET correlation_id = 'of-another' WHERE stream_id = 'm'`,
      recomputeHashesSql('m'),
      head(`correlation_id = 'of-another'`),
    ],
    online: ['m 5 rewritten'],
  },
  // Events that were removed, moved or added.
  {
    name: 'an event in the middle dropped',
    area: 'events',
    sql: [`DELETE FROM phaseline.events ${where(3)}`],
    online: ['m 3 missing'],
  },
  {
    name: 'an event dropped and later events renumbered',
    area: 'events',
    sql: [
      `DELETE FROM phaseline.events ${where(3)}`,
      ...[4, 5, 6].map((version) => set(`version = ${version - 1}`, version)),
    ],
    online: ['m 3 missing'],
  },
  {
    name: 'the first event dropped',
    area: 'events',
    sql: [`DELETE FROM phaseline.events ${where(1)}`],
    online: ['m 1 missing'],
  },
  {
    name: 'the end cut off',
    area: 'events',
    sql: [`DELETE FROM phaseline.events ${where(6)}`],
    online: ['m 5 truncated'],
  },
  {
    name: 'the end cut off together with the head',
    area: 'events',
    sql: [`DELETE FROM phaseline.events ${where(6)}`, recomputeHashesSql('m', 5)],
    online: ['m 5 truncated'],
  },
  {
    name: 'two events swapped',
    area: 'events',
    sql: [set('version = -version', 2), set('version = 2', 4), set('version = 4', -2)],
    online: ['m 2 swapped'],
  },
  {
    name: 'neighbours swapped',
    area: 'events',
    sql: [set('version = -version', 5), set('version = 5', 6), set('version = 6', -5)],
    online: ['m 5 swapped'],
  },
  {
    name: 'an event inserted and later events renumbered',
    area: 'events',
    sql: [...[6, 5, 4].map((version) => set(`version = ${version + 1}`, version)), insertEventSql('m', 4)],
    online: ['m 4 inserted'],
  },
  { name: 'an event added before the first', area: 'events', sql: [insertEventSql('m', 0)], online: ['m 0 inserted'] },
  {
    name: 'an event added after the last one',
    area: 'events',
    sql: [insertEventSql('m', 7), recomputeHashesSql('m', 7), head(`version = 6, hash = ${hashAt(6)}`)],
    online: ['m 7 inserted'],
  },
  {
    name: 'an event added with a version far above the last one',
    area: 'events',
    sql: [insertEventSql('m', 4_000_000)],
    online: ['m 4000000 inserted', 'm 7 missing'],
  },
  {
    name: 'an event added with a transaction id below the anchors',
    area: 'events',
    sql: [insertEventSql('m', 7, { transaction: `'3'` }), recomputeHashesSql('m', 7)],
    online: ['m 7 inserted'],
  },
  {
    name: 'an event moved to another stream',
    area: 'events',
    sql: [`UPDATE phaseline.events SET stream_id = 'a', version = 6 ${where(6)}`],
    online: ['a 6 altered', 'a 6 inserted', 'm 5 truncated'],
  },
  {
    name: 'an event added after the end of its job, with all its hashes',
    area: 'events',
    sql: [insertEventSql('job-done', 3, { type: 'JobFailed' }), recomputeHashesSql('job-done', 3)],
    online: ['job-done 3 after-end'],
  },
  {
    name: 'a position below that of the previous version',
    area: 'events',
    sql: [AS_GIVEN, set('position = -position', 4)],
    online: ['m 4 out-of-order'],
  },
  {
    name: 'a negative position',
    area: 'events',
    sql: [AS_GIVEN, set('position = -position', 1)],
    online: ['m 1 out-of-order'],
  },
  {
    name: 'positions of two streams exchanged',
    area: 'events',
    sql: [
      AS_GIVEN,
      `UPDATE phaseline.events AS e SET position = o.position FROM phaseline.events AS o
       WHERE e.stream_id IN ('a', 'z') AND o.stream_id IN ('a', 'z') AND o.stream_id <> e.stream_id AND o.version = e.version`,
    ],
    online: [],
    limit: LIMITS.order,
  },
  {
    name: 'transaction ids of anchored events raised above the last anchor',
    area: 'events',
    sql: [`UPDATE phaseline.events SET transaction_id = pg_current_xact_id() WHERE stream_id = 'a'`],
    online: [],
    limit: LIMITS.order,
  },
  {
    name: 'an event added after the last anchor with all its hashes',
    area: 'events',
    sql: [insertEventSql('m', 7), recomputeHashesSql('m', 7)],
    online: [],
    limit: LIMITS.tail,
  },
  {
    name: 'an event that is not anchored cut off with its head',
    area: 'events',
    sql: [`DELETE FROM phaseline.events WHERE stream_id = 'z' AND version = 6`, recomputeHashesSql('z', 5)],
    online: [],
    limit: LIMITS.tail,
  },
  {
    name: 'an event that is not anchored rewritten with its hash',
    area: 'events',
    sql: [`UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'z' AND version = 6`, recomputeHashesSql('z', 6)],
    online: [],
    limit: LIMITS.tail,
  },
  // Whole streams and their heads.
  {
    name: 'all events of a stream',
    area: 'streams',
    sql: [`DELETE FROM phaseline.events WHERE stream_id = 'a'`],
    online: ['a 0 truncated'],
  },
  {
    name: 'a whole stream together with its head',
    area: 'streams',
    sql: [`DELETE FROM phaseline.events WHERE stream_id = 'a'`, `DELETE FROM phaseline.streams WHERE stream_id = 'a'`],
    online: ['a 0 truncated'],
  },
  {
    name: 'two streams with exchanged names',
    area: 'streams',
    sql: [
      `UPDATE phaseline.events SET stream_id = CASE stream_id WHEN 'a' THEN 'z' ELSE 'a' END, version = version + 100 WHERE stream_id IN ('a', 'z') AND version < 6`,
      `UPDATE phaseline.events SET version = version - 100 WHERE stream_id IN ('a', 'z') AND version > 100`,
    ],
    online: [
      ...[1, 2, 3, 4, 5].flatMap((version) => [`a ${version} altered`, `z ${version} altered`]),
      'a 5 head-mismatch',
      'z 6 altered',
    ].sort(),
  },
  {
    name: 'the head of a stream removed',
    area: 'streams',
    sql: [`DELETE FROM phaseline.streams WHERE stream_id = 'm'`],
    online: ['m 6 head-mismatch'],
  },
  { name: 'the hash in a head', area: 'streams', sql: [head(`hash = sha256('x')`)], online: ['m 6 head-mismatch'] },
  {
    name: 'the hash in a head, made longer',
    area: 'streams',
    sql: [head(`hash = hash || hash`)],
    online: ['m 6 head-mismatch'],
  },
  {
    name: 'a head with a version above the last event',
    area: 'streams',
    sql: [head('version = 9')],
    online: ['m 6 truncated'],
  },
  {
    name: 'a head with the version and hash of an earlier event',
    area: 'streams',
    sql: [head(`version = 5, hash = ${hashAt(5)}`)],
    online: ['m 6 inserted'],
  },
  {
    name: 'a head with an earlier version and the newest hash',
    area: 'streams',
    sql: [head('version = 3')],
    online: ['m 6 head-mismatch'],
  },
  {
    name: 'a head with a negative version',
    area: 'streams',
    sql: [head('version = -4')],
    online: ['m 6 head-mismatch'],
  },
  {
    name: 'the heads of two streams exchanged',
    area: 'streams',
    sql: [
      `UPDATE phaseline.streams AS s SET hash = o.hash FROM phaseline.streams AS o
       WHERE s.stream_id IN ('m', 'a') AND o.stream_id IN ('m', 'a') AND o.stream_id <> s.stream_id`,
    ],
    online: ['a 5 head-mismatch', 'm 6 head-mismatch'],
  },
  {
    name: 'a head without any event',
    area: 'streams',
    sql: [
      `DELETE FROM phaseline.streams WHERE stream_id = 'g'`,
      `INSERT INTO phaseline.streams VALUES ('g', 0, decode(repeat('00', 32), 'hex'), 'of-g', false, now())`,
    ],
    online: ['g 0 head-mismatch'],
  },
  {
    name: 'the job of a head',
    area: 'streams',
    sql: [head(`correlation_id = 'of-another'`)],
    online: ['m 6 head-mismatch'],
    offline: [],
  },
  {
    name: 'a completed job reopened',
    area: 'streams',
    sql: [head('closed = false', 'job-done')],
    online: ['job-done 2 head-mismatch'],
    // An export has no closed flag; its events show which streams have ended.
    offline: [],
  },
  {
    name: 'a running job closed',
    area: 'streams',
    sql: [head('closed = true', 'job-open')],
    online: ['job-open 1 head-mismatch'],
    offline: [],
  },
  {
    name: 'a forked phase closed',
    area: 'streams',
    sql: [head('closed = NOT closed', 'phase-fork')],
    online: [],
    limit: LIMITS.fork,
  },
  {
    name: 'a whole stream added after the last anchor',
    area: 'streams',
    sql: [
      `INSERT INTO phaseline.streams VALUES ('n', 1, decode(repeat('00', 32), 'hex'), 'of-n', false, now())`,
      insertEventSql('n', 1),
      recomputeHashesSql('n'),
    ],
    online: [],
    limit: LIMITS.tail,
  },
  {
    name: 'a whole stream added with a transaction id below the anchors',
    area: 'streams',
    sql: [
      `INSERT INTO phaseline.streams VALUES ('n', 1, decode(repeat('00', 32), 'hex'), 'of-n', false, now())`,
      insertEventSql('n', 1, { transaction: `'3'` }),
      recomputeHashesSql('n'),
    ],
    online: ['n 1 inserted'],
  },
];

/**
 * The stream 'f' has four events: a small file, a file of three pieces, a tree with another small file, and a long text. Words in braces
 * are replaced by content hashes.
 */
export const fileCases: readonly SharedCase[] = [
  {
    name: 'a file altered without changing its length',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 2) WHERE hash = {small}`],
    online: ['f 1 file-altered'],
  },
  {
    name: 'a file altered and its length changed',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = content || 'more' WHERE hash = {small}`],
    online: ['f 1 file-altered'],
  },
  {
    name: 'a file emptied',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = '' WHERE hash = {small}`],
    online: ['f 1 file-altered'],
  },
  {
    name: 'a file removed',
    area: 'blobs',
    sql: [`DELETE FROM phaseline.blobs WHERE hash = {small}`],
    online: ['f 1 file-missing'],
  },
  {
    name: 'two files with exchanged contents',
    area: 'blobs',
    sql: [
      `UPDATE phaseline.blobs AS b SET content = o.content FROM phaseline.blobs AS o
       WHERE (b.hash, o.hash) IN (({small}, {tree}), ({tree}, {small}))`,
    ],
    online: ['f 1 file-altered', 'f 3 file-altered'],
  },
  {
    name: 'a file larger than one row may be',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = decode(repeat('00', 1048577), 'hex') WHERE hash = {small}`],
    online: ['f 1 file-altered'],
  },
  {
    name: 'a file from the initial tree of a phase removed',
    area: 'blobs',
    sql: [`DELETE FROM phaseline.blobs WHERE hash = {tree}`],
    online: ['f 3 file-missing'],
  },
  {
    name: 'a file from the initial tree of a phase altered',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = 'forged' WHERE hash = {tree}`],
    online: ['f 3 file-altered'],
  },
  {
    name: 'a long text removed',
    area: 'blobs',
    sql: [`DELETE FROM phaseline.blobs WHERE hash = {text}`],
    online: ['f 4 file-missing'],
  },
  {
    name: 'a long text altered',
    area: 'blobs',
    sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 9) WHERE hash = {text}`],
    online: ['f 4 file-altered'],
  },
  {
    name: 'small content stored under the name of a large file',
    area: 'blobs',
    sql: [`INSERT INTO phaseline.blobs (hash, content) VALUES ({large}, 'forged')`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'the file hash in an event, replaced by that of another file',
    area: 'blobs',
    sql: [
      `UPDATE phaseline.events SET data = replace(data::text, encode({small}, 'hex'), encode({tree}, 'hex'))::json WHERE stream_id = '{f}' AND version = 1`,
    ],
    // The size of the other file differs as well.
    online: ['f 1 altered', 'f 1 file-altered'],
  },
  {
    name: 'content that no event refers to',
    area: 'blobs',
    sql: [`INSERT INTO phaseline.blobs (hash, content) VALUES (sha256('{f}'), 'forged')`],
    online: [],
    limit: LIMITS.unnamed,
  },
  {
    name: 'the time of storage and the marks of the blob collector',
    area: 'blobs',
    sql: [
      `UPDATE phaseline.blobs SET stored_at = '2001-01-01' WHERE hash IN ({small}, {tree})`,
      'DELETE FROM phaseline.blob_marks WHERE hash IN ({small}, {tree})',
    ],
    online: [],
    limit: LIMITS.derived,
  },
  {
    name: 'the list of pieces removed',
    area: 'manifests',
    sql: [
      `DELETE FROM phaseline.blob_pieces WHERE hash = {large}`,
      `DELETE FROM phaseline.blob_manifests WHERE hash = {large}`,
    ],
    online: ['f 2 file-missing'],
  },
  {
    name: 'a piece removed from the list',
    area: 'manifests',
    sql: [`DELETE FROM phaseline.blob_pieces WHERE hash = {large} AND number = 1`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'a piece added to the list',
    area: 'manifests',
    sql: [`INSERT INTO phaseline.blob_pieces (hash, number, piece) VALUES ({large}, 3, {first})`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'two pieces swapped in the list',
    area: 'manifests',
    sql: [
      `UPDATE phaseline.blob_pieces SET piece = CASE number WHEN 0 THEN {second} ELSE {first} END WHERE hash = {large} AND number < 2`,
    ],
    online: ['f 2 file-altered'],
  },
  {
    name: 'a piece in the list replaced by another file',
    area: 'manifests',
    sql: [`UPDATE phaseline.blob_pieces SET piece = {first} WHERE hash = {large} AND number = 1`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'the numbers of pieces in the list, in the same order',
    area: 'manifests',
    sql: [`UPDATE phaseline.blob_pieces SET number = number + 5 WHERE hash = {large}`],
    online: ['f 2 file-altered'],
    // The exported content is still correct.
    offline: [],
  },
  {
    name: 'the number of pieces',
    area: 'manifests',
    sql: [`UPDATE phaseline.blob_manifests SET pieces = 9 WHERE hash = {large}`],
    online: ['f 2 file-altered'],
    offline: [],
  },
  {
    name: 'the size of a large file',
    area: 'manifests',
    sql: [`UPDATE phaseline.blob_manifests SET size = size - 1 WHERE hash = {large}`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'the list of pieces under another name',
    area: 'manifests',
    sql: [
      `INSERT INTO phaseline.blob_manifests SELECT sha256('{f}'), size, pieces, stored_at FROM phaseline.blob_manifests WHERE hash = {large}`,
      `UPDATE phaseline.blob_pieces SET hash = sha256('{f}') WHERE hash = {large}`,
      `DELETE FROM phaseline.blob_manifests WHERE hash = {large}`,
    ],
    online: ['f 2 file-missing'],
  },
  {
    name: 'a list of pieces under the name of a small file',
    area: 'manifests',
    sql: [
      `INSERT INTO phaseline.blob_manifests SELECT {small}, size, pieces, stored_at FROM phaseline.blob_manifests WHERE hash = {large}`,
      `INSERT INTO phaseline.blob_pieces SELECT {small}, number, piece FROM phaseline.blob_pieces WHERE hash = {large}`,
    ],
    // It is never read, because the row of the small file takes precedence.
    online: [],
    limit: LIMITS.unnamed,
  },
  {
    name: 'a piece altered',
    area: 'manifests',
    sql: [`UPDATE phaseline.blobs SET content = overlay(content PLACING 'X' FROM 1000) WHERE hash = {second}`],
    online: ['f 2 file-altered'],
  },
  {
    name: 'a piece removed',
    area: 'manifests',
    sql: [`DELETE FROM phaseline.blobs WHERE hash = {second}`],
    online: ['f 2 file-missing'],
  },
  {
    name: 'the last piece cut',
    area: 'manifests',
    sql: [`UPDATE phaseline.blobs SET content = substring(content FOR 3) WHERE hash = {last}`],
    online: ['f 2 file-altered'],
  },
];

const seal = (number: number, change: string): string =>
  `UPDATE phaseline.seals SET ${change} WHERE number = ${number}`;
const encryptedJob = '019a8f00-0000-8000-8000-00000000000a';

/**
 * The log has two anchors. The first covers 3 events of 'm', 2 of 'a' and 2 of 'job-done' (a file and the end); the second covers 1 more
 * event of 'm'. One more event of 'a' is not anchored.
 */
export const logCases: readonly LogCase[] = [
  // The tables as a whole.
  {
    name: 'the events emptied',
    area: 'events',
    sql: ['TRUNCATE phaseline.events'],
    online: ['a 0 truncated', 'job-done 0 truncated', 'm 0 truncated'],
    doctor: ['seals'],
  },
  {
    name: 'the table replaced by a copy with a change',
    area: 'events',
    sql: [
      'ALTER TABLE phaseline.events RENAME TO events_before',
      'CREATE TABLE phaseline.events (LIKE phaseline.events_before INCLUDING ALL)',
      'INSERT INTO phaseline.events OVERRIDING SYSTEM VALUE SELECT * FROM phaseline.events_before',
      set(`data = '{}'`, 2),
      'GRANT SELECT ON phaseline.events TO phaseline_service',
      'CREATE TRIGGER events_are_append_only BEFORE UPDATE ON phaseline.events EXECUTE FUNCTION phaseline.refuse_change()',
    ],
    online: ['m 2 altered'],
  },
  {
    name: 'an event stored twice',
    area: 'events',
    sql: [
      'ALTER TABLE phaseline.events DROP CONSTRAINT events_pkey',
      'DROP INDEX phaseline.events_event_id',
      `INSERT INTO phaseline.events (${columns}) OVERRIDING SYSTEM VALUE
       SELECT nextval('phaseline.events_position_seq'), version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
         correlation_id, hash, data, metadata FROM phaseline.events ${where(2)}`,
    ],
    online: ['m 2 inserted'],
  },
  {
    name: 'an event without data',
    area: 'events',
    sql: ['ALTER TABLE phaseline.events ALTER COLUMN data DROP NOT NULL', set('data = NULL', 2)],
    online: ['m 2 altered'],
  },
  {
    name: 'an event without a hash',
    area: 'events',
    sql: ['ALTER TABLE phaseline.events ALTER COLUMN hash DROP NOT NULL', set('hash = NULL', 2)],
    online: ['m 2 altered'],
  },
  {
    name: 'the sequence of positions reset',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query('ALTER SEQUENCE phaseline.events_position_seq RESTART WITH 1');
      await log.superuser.query('DROP INDEX phaseline.events_correlation');
      await log.append('m', 1);
    },
    online: ['m 5 out-of-order'],
  },
  {
    name: 'an event with an old transaction id, and a head for an anchor that does not exist',
    area: 'events',
    sql: [
      insertEventSql('m', 5, { transaction: `'3'` }),
      recomputeHashesSql('m', 5),
      'ALTER TABLE phaseline.seal_heads DROP CONSTRAINT seal_heads_seal_fkey',
      `INSERT INTO phaseline.seal_heads SELECT 99, stream_id, version, hash FROM phaseline.streams WHERE stream_id = 'm'`,
    ],
    online: ['seal 99 seal-missing'],
  },
  {
    name: 'an event after the end of a job, allowed by a replaced function',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query(
        `CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
         LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN true`,
      );
      await log.appendTypes('job-done', ['JobFailed', 'JobCompleted'], { reopens: true });
      await log.anchorAll();
    },
    online: ['job-done 3 after-end'],
  },
  {
    name: 'the triggers of the events disabled',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query('ALTER TABLE phaseline.events DISABLE TRIGGER ALL');
    },
    online: [],
    doctor: ['rights'],
    limit: LIMITS.functions,
  },
  {
    name: 'the triggers of the events disabled for replication',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query('ALTER TABLE phaseline.events ENABLE TRIGGER events_are_append_only');
    },
    online: [],
    doctor: ['rights'],
    limit: LIMITS.functions,
  },
  {
    name: 'a trigger that drops new events',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query(
        `CREATE FUNCTION phaseline.swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER swallow BEFORE INSERT ON phaseline.events FOR EACH ROW EXECUTE FUNCTION phaseline.swallow()`,
      );
      await log.append('m', 1);
    },
    online: ['m 4 truncated'],
    doctor: ['rights'],
  },
  {
    name: 'a trigger that changes new events',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query(
        `CREATE FUNCTION phaseline.change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := '{}'; RETURN NEW; END $$;
         CREATE TRIGGER change BEFORE INSERT ON phaseline.events FOR EACH ROW EXECUTE FUNCTION phaseline.change()`,
      );
      await log.append('m', 1);
    },
    online: ['m 5 altered'],
    doctor: ['rights'],
  },
  {
    name: 'new events replaced by others, with all their hashes',
    area: 'events',
    tamper: async (log) => {
      await log.appendTypes('forged', ['TodoCompleted']);
      await log.tamper(
        `UPDATE phaseline.events SET type = 'TodoFailed' WHERE stream_id = 'forged'`,
        recomputeHashesSql('forged'),
      );
      await log.anchorAll();
    },
    online: [],
    limit: LIMITS.functions,
  },
  {
    name: 'rows hidden from the services by row security',
    area: 'events',
    sql: [
      'ALTER TABLE phaseline.events ENABLE ROW LEVEL SECURITY',
      `CREATE POLICY hide ON phaseline.events USING (NOT (stream_id = 'm' AND version = 2))`,
    ],
    online: ['m 2 missing'],
    doctor: ['rights'],
  },
  {
    name: 'different rows for readers than for the audit',
    area: 'events',
    tamper: async (log) => {
      await log.superuser.query(
        `ALTER TABLE phaseline.events RENAME TO events_stored;
         CREATE VIEW phaseline.events AS SELECT position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
         correlation_id, hash, CASE WHEN current_setting('application_name') = 'phaseline-orchestrator' THEN '{}' ELSE data END AS data, metadata
       FROM phaseline.events_stored;
         GRANT SELECT ON phaseline.events TO phaseline_service`,
      );
    },
    online: [],
    doctor: ['rights'],
    limit: LIMITS.readers,
  },
  {
    name: 'a transaction id in the far future, which no anchor will cover',
    area: 'events',
    sql: [`UPDATE phaseline.events SET transaction_id = '9000000000000000' WHERE stream_id = 'a' AND version = 3`],
    online: [],
    limit: LIMITS.order,
  },
  {
    name: 'the heads of all streams emptied',
    area: 'streams',
    sql: ['TRUNCATE phaseline.streams'],
    online: ['a 3 head-mismatch', 'job-done 2 head-mismatch', 'm 4 head-mismatch'],
  },
  {
    name: 'a head stored twice, once correctly',
    area: 'streams',
    sql: [
      'ALTER TABLE phaseline.streams DROP CONSTRAINT streams_pkey',
      `INSERT INTO phaseline.streams SELECT stream_id, version, sha256('x'), correlation_id, closed, updated_at FROM phaseline.streams WHERE stream_id = 'm'`,
    ],
    online: ['m 0 head-mismatch'],
    offline: [],
  },
  {
    name: 'a snapshot with the wrong state',
    area: 'streams',
    sql: [
      `INSERT INTO phaseline.snapshots (stream_id, version, fold, hash, state) VALUES ('m', 2, 'x', sha256('x'), '{}')`,
    ],
    online: [],
    doctor: ['snapshots'],
    limit: LIMITS.derived,
  },
  // Files as a whole.
  {
    name: 'all content removed',
    area: 'blobs',
    sql: ['TRUNCATE phaseline.blobs CASCADE'],
    online: ['job-done 1 file-missing'],
    doctor: ['files'],
  },
  {
    name: 'the triggers of the blobs disabled',
    area: 'blobs',
    tamper: async (log) => {
      await log.superuser.query('ALTER TABLE phaseline.blobs DISABLE TRIGGER USER');
    },
    online: [],
    doctor: ['rights'],
    limit: LIMITS.functions,
  },
  {
    name: 'a file of an encrypted job',
    area: 'blobs',
    sql: [
      `INSERT INTO phaseline.job_keys (correlation_id, wrapped, master_key_id) VALUES ('${encryptedJob}', decode(repeat('00', 60), 'hex'), '0000000000000000')`,
      `INSERT INTO phaseline.sealed_blobs (correlation_id, name, content) VALUES ('${encryptedJob}', sha256('x'), 'forged')`,
    ],
    online: [],
    limit: LIMITS.encrypted,
  },
  {
    name: 'the triggers of the lists of pieces removed',
    area: 'manifests',
    tamper: async (log) => {
      await log.superuser.query('DROP TRIGGER blob_pieces_are_append_only ON phaseline.blob_pieces');
    },
    online: [],
    doctor: ['rights'],
    limit: LIMITS.functions,
  },
  // Anchors.
  {
    name: 'the content of an anchor',
    area: 'anchors',
    sql: [seal(1, 'events = 4')],
    online: ['seal 1 seal-altered', 'seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
    offline: ['seal 1 seal-altered', 'seal 1 seal-forged'],
  },
  {
    name: 'the time of an anchor',
    area: 'anchors',
    sql: [seal(1, `sealed_at = sealed_at - interval '1 day'`)],
    online: ['seal 1 seal-altered', 'seal 1 seal-forged'],
  },
  {
    name: 'an infinite time of an anchor',
    area: 'anchors',
    sql: [seal(2, `sealed_at = 'infinity'`)],
    online: ['seal 2 seal-altered', 'seal 2 seal-forged'],
  },
  {
    name: 'the horizon of the last anchor',
    area: 'anchors',
    sql: [seal(2, `horizon = '4'`)],
    online: ['seal 2 seal-altered', 'seal 2 seal-altered', 'seal 2 seal-forged'],
    offline: ['seal 2 seal-altered', 'seal 2 seal-forged'],
  },
  {
    name: 'the signature of an anchor',
    area: 'anchors',
    sql: [seal(2, `signature = decode(repeat('ab', 64), 'hex')`)],
    online: ['seal 2 seal-forged'],
  },
  {
    name: 'an empty signature',
    area: 'anchors',
    sql: [seal(2, `signature = ''`)],
    online: ['seal 2 seal-forged'],
  },
  {
    name: 'the signatures of two anchors exchanged',
    area: 'anchors',
    sql: [
      `UPDATE phaseline.seals AS s SET signature = o.signature FROM phaseline.seals AS o WHERE o.number = 3 - s.number`,
    ],
    online: ['seal 1 seal-forged', 'seal 2 seal-forged'],
  },
  {
    name: 'the hash and signature of an anchor',
    area: 'anchors',
    sql: [seal(1, `hash = sha256('x'), signature = decode(repeat('ab', 64), 'hex')`)],
    online: ['seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
    offline: ['seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-missing'],
    doctor: ['seals'],
    withReceipt: ['seal 1 receipt-mismatch', 'seal 1 seal-altered', 'seal 1 seal-forged', 'seal 2 seal-altered'],
  },
  {
    // No signature covers the stored hash, and no later anchor links to the newest one.
    name: 'the hash of the newest anchor',
    area: 'anchors',
    sql: [seal(2, `hash = sha256('x')`)],
    online: ['seal 2 seal-altered'],
    withReceipt: ['seal 2 receipt-mismatch', 'seal 2 seal-altered'],
  },
  {
    name: 'a head of an anchor',
    area: 'anchors',
    sql: [`UPDATE phaseline.seal_heads SET version = 1 WHERE seal = 1 AND stream_id = 'a'`],
    online: ['a 1 rewritten', 'a 2 inserted', 'seal 1 seal-altered'],
  },
  {
    name: 'a head of an anchor removed',
    area: 'anchors',
    sql: [`DELETE FROM phaseline.seal_heads WHERE seal = 2 AND stream_id = 'm'`],
    online: ['m 4 inserted', 'seal 2 seal-altered'],
  },
  {
    name: 'a head added to an anchor',
    area: 'anchors',
    sql: [
      insertEventSql('m', 5, { transaction: `'3'` }),
      recomputeHashesSql('m', 5),
      `INSERT INTO phaseline.seal_heads SELECT 2, 'x', version, hash FROM phaseline.streams WHERE stream_id = 'm'`,
      `UPDATE phaseline.seal_heads SET version = 5, hash = (SELECT hash FROM phaseline.streams WHERE stream_id = 'm') WHERE seal = 2 AND stream_id = 'm'`,
      `DELETE FROM phaseline.seal_heads WHERE stream_id = 'x'`,
    ],
    online: ['seal 2 seal-altered'],
  },
  {
    name: 'an anchor in the middle removed',
    area: 'anchors',
    sql: ['DELETE FROM phaseline.seal_heads WHERE seal = 1', 'DELETE FROM phaseline.seals WHERE number = 1'],
    online: [
      'a 1 inserted',
      'a 2 inserted',
      'job-done 1 inserted',
      'job-done 2 inserted',
      'seal 1 seal-missing',
      'seal 2 seal-altered',
    ],
    doctor: ['seals'],
    withReceipt: [
      'a 1 inserted',
      'a 2 inserted',
      'job-done 1 inserted',
      'job-done 2 inserted',
      'seal 1 seal-missing',
      'seal 1 seal-missing',
      'seal 2 seal-altered',
    ],
    offline: ['a 1 inserted', 'a 2 inserted', 'job-done 1 inserted', 'job-done 2 inserted', 'seal 2 seal-missing'],
  },
  {
    name: 'an anchor with another number',
    area: 'anchors',
    sql: [
      'ALTER TABLE phaseline.seal_heads DROP CONSTRAINT seal_heads_seal_fkey',
      seal(2, 'number = 3'),
      'UPDATE phaseline.seal_heads SET seal = 3 WHERE seal = 2',
    ],
    online: ['seal 2 seal-missing', 'seal 3 seal-altered', 'seal 3 seal-forged'],
    doctor: ['seals'],
    withReceipt: ['seal 2 seal-missing', 'seal 2 seal-missing', 'seal 3 seal-altered', 'seal 3 seal-forged'],
    offline: ['seal 3 seal-altered', 'seal 3 seal-forged', 'seal 3 seal-missing'],
  },
  {
    name: 'the rows of the anchors removed, their heads kept',
    area: 'anchors',
    sql: ['ALTER TABLE phaseline.seal_heads DROP CONSTRAINT seal_heads_seal_fkey', 'DELETE FROM phaseline.seals'],
    online: ['seal 1 seal-missing', 'seal 2 seal-missing'],
    withReceipt: ['seal 1 seal-missing', 'seal 1 seal-missing', 'seal 2 seal-missing'],
  },
  {
    name: 'the keys of the anchors removed',
    area: 'anchors',
    sql: ['ALTER TABLE phaseline.seals DROP CONSTRAINT seals_key_id_fkey', 'DELETE FROM phaseline.audit_keys'],
    online: ['seal 1 seal-forged', 'seal 2 seal-forged'],
    // The anchors are signed with the key of the export, so the export contains it.
    offline: [],
  },
  {
    name: 'a key replaced by another one with the same id',
    area: 'anchors',
    sql: [
      'ALTER TABLE phaseline.audit_keys DROP CONSTRAINT audit_keys_check',
      `UPDATE phaseline.audit_keys SET public_key = overlay(public_key PLACING '\\x00'::bytea FROM 20)`,
    ],
    online: ['seal 1 seal-forged', 'seal 2 seal-forged'],
    offline: [],
  },
  {
    name: 'the newest anchor removed, its events kept',
    area: 'anchors',
    sql: ['DELETE FROM phaseline.seal_heads WHERE seal = 2', 'DELETE FROM phaseline.seals WHERE number = 2'],
    online: [],
    withReceipt: ['seal 2 seal-missing'],
    limit: LIMITS.newest,
  },
  {
    name: 'the whole database rolled back to an older state',
    area: 'anchors',
    sql: [
      `DELETE FROM phaseline.events WHERE transaction_id >= (SELECT horizon FROM phaseline.seals WHERE number = 1)`,
      recomputeHashesSql('m', 3),
      recomputeHashesSql('a', 2),
      'DELETE FROM phaseline.seal_heads WHERE seal = 2',
      'DELETE FROM phaseline.seals WHERE number = 2',
    ],
    online: [],
    withReceipt: ['seal 2 seal-missing'],
    limit: LIMITS.newest,
  },
  {
    name: 'the whole log emptied with its anchors',
    area: 'anchors',
    sql: ['TRUNCATE phaseline.events, phaseline.streams, phaseline.seal_heads, phaseline.seals, phaseline.audit_keys'],
    online: [],
    withReceipt: ['seal 1 seal-missing'],
    limit: LIMITS.newest,
  },
  {
    name: 'all anchors created again with another key over a rewritten log',
    area: 'anchors',
    tamper: async (log) => {
      await log.tamper(
        set(`data = '{}'`, 2),
        recomputeHashesSql('m'),
        'TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys',
      );
      await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
    },
    online: [],
    withKey: ['seal 1 seal-other-key'],
    withReceipt: ['seal 1 receipt-mismatch', 'seal 2 seal-missing'],
    limit: LIMITS.key,
  },
  {
    name: 'all anchors created again with the key of the service over a rewritten log',
    area: 'anchors',
    tamper: async (log) => {
      await log.tamper(
        set(`data = '{}'`, 2),
        recomputeHashesSql('m'),
        'TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys',
      );
      await log.anchorAll();
    },
    online: [],
    withReceipt: ['seal 1 receipt-mismatch', 'seal 2 seal-missing'],
    limit: LIMITS.ownKey,
  },
  {
    name: 'one more anchor, created with another key over a rewritten tail',
    area: 'anchors',
    tamper: async (log) => {
      await log.tamper(
        `UPDATE phaseline.events SET data = '{}' WHERE stream_id = 'a' AND version = 3`,
        recomputeHashesSql('a', 3),
      );
      await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
    },
    online: [],
    withKey: ['seal 3 seal-other-key'],
    limit: LIMITS.key,
  },
  {
    name: 'the last receipts cut off with their anchors',
    area: 'anchors',
    tamper: async (log) => {
      await log.tamper(
        'DELETE FROM phaseline.seal_heads WHERE seal = 2',
        'DELETE FROM phaseline.seals WHERE number = 2',
      );
      const path = `${log.folder}/receipts/${RECEIPTS_FILE}`;
      const [first] = (await readFile(path, 'utf8')).split('\n');
      await writeFile(path, `${first}\n`);
    },
    online: [],
    withReceipt: [],
    limit: LIMITS.receipts,
  },
  {
    name: 'the receipts replaced by those of another log',
    area: 'anchors',
    tamper: async (log) => {
      await log.tamper('TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys');
      await log.anchorAll(await openAuditKey(`${log.folder}/forger.pem`));
      await storeReceipts(log.service, `${log.folder}/others`);
      await log.tamper('TRUNCATE phaseline.seal_heads, phaseline.seals, phaseline.audit_keys');
      await log.anchorAll(await readAuditKey(`${log.folder}/key.pem`));
      await rename(`${log.folder}/others/${RECEIPTS_FILE}`, `${log.folder}/receipts/${RECEIPTS_FILE}`);
    },
    online: [],
    withReceipt: ['seal 1 receipt-mismatch'],
    limit: LIMITS.receipts,
  },
];

const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');
const edit =
  (file: string, change: (lines: string[]) => string[]) =>
  async (folder: string): Promise<void> =>
    writeFile(`${folder}/${file}`, `${change(await linesOf(`${folder}/${file}`)).join('\n')}\n`);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Rewrites the manifest for the current files, and signs it with another key. */
async function resign(
  folder: string,
  key: AuditKey,
  change: (manifest: Record<string, unknown>) => void = () => {},
): Promise<void> {
  const manifest = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8')) as Record<string, unknown>;
  const files = manifest['files'] as Record<string, string>;
  for (const name of Object.keys(files)) files[name] = sha256(await readFile(`${folder}/${name}`));
  manifest['keyId'] = key.keyId;
  (manifest['keys'] as string[]).push(key.der.toString('base64'));
  change(manifest);
  const text = Buffer.from(JSON.stringify(manifest));
  await writeFile(`${folder}/manifest.json`, text);
  await writeFile(`${folder}/manifest.sig`, key.sign(text).toString('base64'));
}

/** Changes to an export of the log of `logWays`, with files. events.jsonl contains a 1 to 3, job-done 1 and 2, m 1 to 4. */
export const exportCases: readonly ExportCase[] = [
  {
    name: 'a byte in data',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('größer', 'größes'))),
    offline: ['export file-changed', 'm 2 altered'],
  },
  {
    name: 'a byte in metadata',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('spec\\"', 'spex\\"'))),
    offline: ['export file-changed', 'm 2 altered'],
  },
  {
    name: 'an attribute of an event that is not hashed',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('urn:phaseline', 'urn:another'))),
    offline: ['export file-changed'],
  },
  {
    name: 'a line removed',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.toSpliced(6, 1)),
    offline: ['export file-changed', 'm 2 missing'],
  },
  {
    name: 'a line added',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => [...lines, lines.at(-1)!.replace('"version":4', '"version":5')]),
    offline: ['export file-changed', 'm 5 altered', 'm 5 inserted', 'm 5 out-of-order'],
  },
  {
    name: 'a line renamed to another stream',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.with(8, lines[8]!.replaceAll('"m"', '"n"'))),
    offline: ['export file-changed', 'm 3 truncated', 'n 1 missing', 'n 4 head-mismatch', 'n 4 inserted'],
  },
  {
    name: 'two lines in another order',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.with(6, lines[7]!).with(7, lines[6]!)),
    offline: ['export file-changed'],
  },
  {
    name: 'lines that are not JSON',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => ['nonsense', ...lines]),
    offline: ['export file-changed'],
  },
  {
    name: 'the end of a stream cut off',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.slice(0, -1)),
    offline: ['export file-changed', 'm 3 truncated'],
  },
  {
    name: 'a whole stream removed',
    area: 'exports',
    tamper: edit('events.jsonl', (lines) => lines.slice(0, 5)),
    offline: ['export file-changed', 'm 0 truncated'],
  },
  {
    name: 'the hash in a head',
    area: 'exports',
    tamper: edit('heads.jsonl', (lines) => lines.map((line) => line.replace(/("m","version":4,"hash":")../, '$1zz'))),
    offline: ['export file-changed', 'm 4 head-mismatch'],
  },
  {
    name: 'a head without events',
    area: 'exports',
    tamper: edit('heads.jsonl', (lines) => [...lines, `{"stream":"g","version":0,"hash":"${'0'.repeat(64)}"}`]),
    offline: ['export file-changed', 'g 0 head-mismatch'],
  },
  {
    name: 'an anchor removed',
    area: 'exports',
    tamper: edit('seals.jsonl', (lines) => lines.slice(1)),
    offline: ['export file-changed', 'seal 1 seal-missing', 'seal 2 seal-missing'],
  },
  {
    name: 'the content of an anchor',
    area: 'exports',
    tamper: edit('seals.jsonl', ([one, two]) => [one!.replace('"streams":3', '"streams":4'), two!]),
    offline: ['export file-changed', 'seal 1 seal-altered', 'seal 1 seal-forged'],
  },
  {
    name: 'a head of an anchor removed',
    area: 'exports',
    tamper: edit('sealed-heads.jsonl', (lines) => lines.slice(1)),
    offline: ['a 1 inserted', 'a 2 inserted', 'export file-changed', 'seal 1 seal-altered'],
  },
  {
    name: 'a file altered',
    area: 'exports',
    tamper: (folder, { blob }) => writeFile(`${folder}/blobs/${blob}`, 'another'),
    offline: ['job-done 1 file-altered'],
  },
  {
    name: 'a file removed',
    area: 'exports',
    tamper: (folder, { blob }) => rm(`${folder}/blobs/${blob}`),
    offline: ['job-done 1 file-missing'],
  },
  {
    name: 'files added, one of them hidden, and a folder',
    area: 'exports',
    tamper: async (folder) => {
      await writeFile(`${folder}/notes.txt`, 'added');
      await writeFile(`${folder}/.hidden`, 'added');
      await mkdir(`${folder}/more`);
      await writeFile(`${folder}/blobs/${'ab'.repeat(32)}`, 'added');
    },
    offline: ['export file-added', 'export file-added', 'export file-added', 'export file-added'],
  },
  {
    name: 'the list of files',
    area: 'exports',
    tamper: edit('blobs.jsonl', (lines) => [...lines, `{"hash":"${'cd'.repeat(32)}","bytes":3}`]),
    offline: ['export file-changed', 'export file-missing'],
  },
  ...Object.entries({
    'events.jsonl': ['a 0 truncated', 'export file-missing', 'job-done 0 truncated', 'm 0 truncated'],
    'heads.jsonl': ['export file-missing'],
    // Events older than the last anchor must be in an anchor, but none lists them any more.
    'sealed-heads.jsonl': [
      ...['a 1', 'a 2'].map((place) => `${place} inserted`),
      'export file-missing',
      ...['job-done 1', 'job-done 2', 'm 1', 'm 2', 'm 3', 'm 4'].map((place) => `${place} inserted`),
      'seal 1 seal-altered',
      'seal 2 seal-altered',
    ],
    // The manifest contains the file hashes and the public keys.
    'manifest.json': [
      ...Array<string>(5).fill('export file-changed'),
      'export file-missing',
      'seal 1 seal-forged',
      'seal 2 seal-forged',
    ],
    'manifest.sig': ['export file-missing'],
    'check-export.mjs': ['export file-missing'],
  }).map(([file, offline]): ExportCase => ({
    name: `${file} removed`,
    area: 'exports',
    tamper: (folder) => rm(`${folder}/${file}`),
    offline,
  })),
  {
    name: 'the audit checker in the folder',
    area: 'exports',
    tamper: (folder) => appendFile(`${folder}/check-export.mjs`, '\n// holds\n'),
    offline: ['export file-changed'],
  },
  {
    name: 'the manifest',
    area: 'exports',
    tamper: edit('manifest.json', (lines) => lines.map((line) => line.replace('"events": 9', '"events": 8'))),
    offline: ['export manifest-forged'],
  },
  {
    name: 'the manifest and signature exchanged for those of another export',
    area: 'exports',
    tamper: async (folder, { older }) => {
      for (const file of ['manifest.json', 'manifest.sig']) await cp(`${older}/${file}`, `${folder}/${file}`);
    },
    offline: ['export file-changed', 'export file-changed', 'export file-changed', 'export file-changed'],
  },
  {
    name: 'the signature exchanged for that of another export',
    area: 'exports',
    tamper: (folder, { older }) => cp(`${older}/manifest.sig`, `${folder}/manifest.sig`),
    offline: ['export manifest-forged'],
  },
  {
    name: 'the export exchanged for an older one',
    area: 'exports',
    tamper: async (folder, { older }) => {
      await rm(folder, { recursive: true });
      await cp(older, folder, { recursive: true });
    },
    offline: [],
    withReceipt: ['seal 2 receipt-mismatch'],
    limit: LIMITS.older,
  },
  {
    name: 'the export exchanged for one of some jobs',
    area: 'exports',
    tamper: async (folder, { partial }) => {
      await rm(folder, { recursive: true });
      await cp(partial, folder, { recursive: true });
    },
    offline: [],
    limit: LIMITS.some,
  },
  {
    name: 'an anchored event, with the manifest signed again',
    area: 'exports',
    tamper: async (folder, { forger }) => {
      await edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('größer', 'größes')))(folder);
      await resign(folder, forger);
    },
    offline: ['m 2 altered'],
    withKey: ['export manifest-other-key', 'm 2 altered'],
  },
  {
    name: 'an event that is not anchored cut off with its head, and the manifest signed again',
    area: 'exports',
    tamper: async (folder, { forger }) => {
      const hash = /"hash":"(\w+)"/.exec((await linesOf(`${folder}/events.jsonl`))[1]!)![1]!;
      await edit('events.jsonl', (lines) => lines.toSpliced(2, 1))(folder);
      await edit('heads.jsonl', (lines) =>
        lines.map((line) => (line.includes('"a"') ? `{"stream":"a","version":2,"hash":"${hash}"}` : line)),
      )(folder);
      await resign(folder, forger);
    },
    offline: [],
    withKey: ['export manifest-other-key'],
    limit: LIMITS.resigned,
  },
  {
    name: 'a manifest that lists files outside the folder, signed again',
    area: 'exports',
    tamper: (folder, { forger }) =>
      resign(folder, forger, ({ files }) => Object.assign(files as object, { '../../../../../../../../dev/zero': '' })),
    offline: ['export file-changed'],
    withKey: ['export file-changed', 'export manifest-other-key'],
  },
  {
    name: 'a file replaced by a link to another one',
    area: 'exports',
    tamper: async (folder, { blob }) => {
      await writeFile(`${folder}/../${randomUUID()}`, 'elsewhere');
      await rm(`${folder}/blobs/${blob}`);
      await symlink('/etc/hostname', `${folder}/blobs/${blob}`);
    },
    offline: ['job-done 1 file-altered'],
  },
];

export const allCases: readonly Way[] = [...streamCases, ...fileCases, ...logCases, ...exportCases];
