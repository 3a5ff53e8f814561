import { type AuditKey } from '@phaseline/audit';
import { type AuditedLog } from '@phaseline/audit/testing';

/** What is tampered with. `manifests` are the lists of pieces of large files; `anchors` includes their keys and receipts. */
export type Area = 'events' | 'streams' | 'blobs' | 'manifests' | 'anchors' | 'exports';

/** Cases grouped by what they tamper with. */
export type Cases<C extends Way> = Partial<Record<Area, readonly C[]>>;

/** All cases with their areas. */
export function listCases<C extends Way>(...groups: readonly Cases<C>[]): (C & { readonly area: Area })[] {
  return groups.flatMap((byArea) =>
    (Object.keys(byArea) as Area[]).flatMap((area) => byArea[area]!.map((way) => ({ ...way, area }))),
  );
}

export interface Way {
  readonly name: string;
  /** Heading in docs/concepts/audit.md of the limit that explains why the change is not detected, and of its remedy. */
  readonly limit?: string;
}

/** A change of rows. Problems have the form `<stream> <version> <kind>` or `anchor <number> <kind>`. */
interface RowCase extends Way {
  /** Problems that `audit verify` reports. */
  readonly online: readonly string[];
  /** Problems that the audit checker reports for an export made afterwards; default: the same. */
  readonly offline?: readonly string[];
}

/** A case that shares a log with other cases; each has its own streams and files. */
export interface SharedCase extends RowCase {
  readonly sql: readonly string[];
}

/**
 * A case with its own log, which has two anchors. The first covers 3 events of 'm', 2 of 'a' and 2 of 'job-done' (a file and the end);
 * the second covers 1 more event of 'm'. One more event of 'a' is not anchored.
 */
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

export const columns =
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

export const where = (version: number | string): string => `WHERE stream_id = 'm' AND version = ${version}`;
export const set = (change: string, version: number | string): string =>
  `UPDATE phaseline.events SET ${change} ${where(version)}`;
