import type { JobId, StreamId } from '@phaseline/contracts';
import { isEncryptedJob, parseStreamName } from '@phaseline/domain';
import { queryRows, throwDatabaseError } from '@phaseline/event-store';
import type pg from 'pg';
import { foldVersion } from './fold-version.js';

/** The folded state of a stream at a version, with the hash of the last event included. */
export interface Snapshot {
  readonly streamId: StreamId;
  readonly version: number;
  /** Hash of the event at this version, in hex. */
  readonly hash: string;
  readonly state: unknown;
}

/** A stream that needs a snapshot, for example because of a long open phase, and its current version. */
export interface StreamBehind {
  readonly streamId: StreamId;
  readonly version: number;
}

/** Limits of a random sample of snapshots. */
export interface SnapshotSample {
  readonly snapshots: number;
  /** Maximum total number of events to fold for the sample. */
  readonly events: number;
}

/** The join checks the snapshot: it is ignored if the log does not contain its event. */
const LATEST_SQL = {
  name: 'phaseline-latest-snapshot',
  text: `SELECT s.version, s.state::text AS state, encode(s.hash, 'hex') AS hash
    FROM phaseline.snapshots AS s JOIN phaseline.events AS e USING (stream_id, version)
    WHERE s.stream_id = $1 AND s.fold_version = $2 AND s.version <= $3 AND e.hash = s.hash
    ORDER BY s.version DESC LIMIT 1`,
};

interface SnapshotRow {
  readonly stream_id: StreamId;
  readonly version: string;
  readonly state: string;
  readonly hash: string;
}

/** Reads and writes the table of snapshots. Every row may be deleted at any time. */
export class Snapshots {
  constructor(
    private readonly pool: pg.Pool,
    /** Only rows of this fold version are used. */
    readonly fold: string = foldVersion,
  ) {}

  /** Returns the newest snapshot at or before a version. */
  async findLatest(streamId: StreamId, version: number): Promise<Snapshot | undefined> {
    const [row] = await queryRows<Omit<SnapshotRow, 'stream_id'>>(this.pool, {
      ...LATEST_SQL,
      values: [streamId, this.fold, version],
    });
    return row && toSnapshot({ stream_id: streamId, ...row });
  }

  /**
   * Stores snapshots. An existing one is not replaced, and those of encrypted jobs are skipped because they would be
   * stored unencrypted.
   */
  async store(candidates: readonly Snapshot[]): Promise<void> {
    const snapshots = candidates.filter(({ streamId }) => !isEncryptedJob(parseStreamName(streamId)?.jobId ?? ''));
    if (snapshots.length === 0) return;
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.snapshots (stream_id, version, fold_version, hash, state)
        SELECT t.stream_id, t.version, $1, decode(t.hash, 'hex'), t.state::json
        FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[]) AS t(stream_id, version, hash, state)
        ON CONFLICT DO NOTHING`,
      values: [
        this.fold,
        snapshots.map(({ streamId }) => streamId),
        snapshots.map(({ version }) => version),
        snapshots.map(({ hash }) => hash),
        snapshots.map(({ state }) => JSON.stringify(state)),
      ],
    });
  }

  /**
   * Yields all snapshots of this fold, ordered by stream and version, a few at a time; with `jobId` only those of one
   * job.
   */
  async *iterateAll(jobId?: JobId): AsyncGenerator<Snapshot, void, undefined> {
    let after: readonly [string, number] = ['', 0];
    for (;;) {
      const rows = await queryRows<SnapshotRow>(this.pool, {
        text: `SELECT stream_id, version, state::text AS state, encode(hash, 'hex') AS hash FROM phaseline.snapshots
          WHERE fold_version = $1 AND (stream_id, version) > ($2, $3) AND ${OF_JOB_SQL} ORDER BY stream_id, version LIMIT 20`,
        values: [this.fold, ...after, jobId ?? null],
      });
      yield* rows.map(toSnapshot);
      const last = rows.at(-1);
      if (!last) return;
      after = [last.stream_id, Number(last.version)];
    }
  }

  /** Returns the number of snapshots of other folds, which are never read; with `jobId` only those of one job. */
  async countOthers(jobId?: JobId): Promise<number> {
    const [row] = await queryRows<{ count: string }>(this.pool, {
      text: `SELECT count(*) FROM phaseline.snapshots WHERE fold_version <> $1 AND ${OF_JOB_SQL.replaceAll('$4', '$2')}`,
      values: [this.fold, jobId ?? null],
    });
    return Number(row!.count);
  }

  /**
   * Yields a random sample of this fold's snapshots. The events to fold for all of them together do not exceed the limit.
   */
  async *iterateSample({ snapshots, events }: SnapshotSample): AsyncGenerator<Snapshot, void, undefined> {
    // Select the keys first, which the index contains, because states may be large.
    const rows = await queryRows<SnapshotRow>(this.pool, {
      text: `WITH drawn AS (
          SELECT stream_id, version FROM phaseline.snapshots WHERE fold_version = $1 AND version <= $3 ORDER BY random() LIMIT $2
        ), fitting AS (
          SELECT stream_id, version, sum(version) OVER (ORDER BY version, stream_id) AS events FROM drawn
        )
        SELECT stream_id, version, state::text AS state, encode(hash, 'hex') AS hash
        FROM fitting JOIN phaseline.snapshots AS s USING (stream_id, version) WHERE fold_version = $1 AND events <= $3`,
      values: [this.fold, snapshots, events],
    });
    yield* rows.map(toSnapshot);
  }

  /**
   * Deletes all snapshots, including those of other folds; with `jobId` only those of one job. Returns how many were
   * deleted.
   */
  async deleteAll(jobId?: JobId): Promise<number> {
    const { rowCount } = await this.pool
      .query({
        text: `DELETE FROM phaseline.snapshots WHERE $1::text IS NULL OR stream_id = 'job-' || $1
        OR starts_with(stream_id, 'phase-' || $1 || '-')`,
        values: [jobId ?? null],
      })
      .catch(throwDatabaseError);
    return rowCount ?? 0;
  }

  /** Returns open streams with at least `every` events since their last snapshot. */
  async findStreamsBehind(every: number, limit = 50): Promise<StreamBehind[]> {
    const rows = await queryRows<{ stream_id: StreamId; version: string }>(this.pool, {
      text: `SELECT h.stream_id, h.version FROM phaseline.streams AS h
        WHERE NOT h.closed AND NOT phaseline.is_encrypted_job(h.correlation_id) AND h.version >= $2 AND h.version - coalesce(
          (SELECT max(s.version) FROM phaseline.snapshots AS s WHERE s.stream_id = h.stream_id AND s.fold_version = $1), 0) >= $2
        ORDER BY h.stream_id LIMIT $3`,
      values: [this.fold, every, limit],
    });
    return rows.map(({ stream_id: streamId, version }) => ({ streamId, version: Number(version) }));
  }
}

const OF_JOB_SQL = `($4::text IS NULL OR stream_id = 'job-' || $4 OR starts_with(stream_id, 'phase-' || $4 || '-'))`;

function toSnapshot({ stream_id: streamId, version, state, hash }: SnapshotRow): Snapshot {
  return { streamId, version: Number(version), hash, state: JSON.parse(state) as unknown };
}
