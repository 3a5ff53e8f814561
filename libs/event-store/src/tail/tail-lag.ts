import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import type { TailPosition } from './tail-position.js';

/** A partition of a reader of the log, and what lies before it. */
export interface TailLag {
  readonly name: string;
  readonly partition: number;
  /** Who holds it; undefined when nobody does. */
  readonly owner: string | undefined;
  /** How long ago the first event behind the stored checkpoint was recorded, in milliseconds; undefined when there is none. */
  readonly behindMs: number | undefined;
  /** That event is held back by a transaction that is still open, not by the reader. */
  readonly gated: boolean;
  /** The stored checkpoint. */
  readonly checkpoint: TailPosition;
  /** When the checkpoint was last written; ISO 8601. */
  readonly writtenAt: string;
}

/** Rows looked at behind a checkpoint: a reader that is further behind than this has been so for long. */
const WINDOW = 2_000;

/**
 * How far readers of the log are behind it, by what they have written down (a second ago at most). `behindMs` of a reader that
 * wants few types counts events of all types, since its checkpoint passes over what it does not want.
 */
export async function tailLag(
  pool: pg.Pool,
  filter: { readonly name?: string; readonly owner?: string } = {},
): Promise<TailLag[]> {
  try {
    const rows = await queryByIndex<{
      name: string;
      partition: number;
      owner: string | null;
      behind: number | null;
      gated: boolean | null;
      updated_at: Date;
      transaction_id: string;
      position: string;
    }>(
      pool,
      `SELECT s.name, s.partition, CASE WHEN s.lease_expires_at > now() THEN s.owner END AS owner, s.updated_at,
         s.transaction_id, s.position,
         extract(epoch FROM clock_timestamp() - e.recorded_at)::float8 * 1000 AS behind, e.gated
       FROM phaseline.subscriptions AS s
       LEFT JOIN LATERAL (
         SELECT w.recorded_at, w.transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) AS gated FROM (
           SELECT recorded_at, transaction_id, position, correlation_id FROM phaseline.events
           WHERE (transaction_id, position) > (s.transaction_id, s.position)
           ORDER BY transaction_id, position LIMIT ${WINDOW}
         ) AS w
         WHERE phaseline.partition_of(w.correlation_id, s.partitions) = s.partition
         ORDER BY w.transaction_id, w.position LIMIT 1
       ) AS e ON true
       WHERE ($1::text IS NULL OR s.name = $1) AND ($2::text IS NULL OR (s.owner = $2 AND s.lease_expires_at > now()))
       ORDER BY s.name, s.partition`,
      [filter.name ?? null, filter.owner ?? null],
    );
    return rows.map((row) => ({
      name: row.name,
      partition: row.partition,
      owner: row.owner ?? undefined,
      behindMs: row.behind === null ? undefined : Math.max(0, Math.round(row.behind)),
      gated: row.gated ?? false,
      checkpoint: { transactionId: row.transaction_id, position: Number(row.position) },
      writtenAt: row.updated_at.toISOString(),
    }));
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

/**
 * Readiness asks every few seconds: on a new database, which nobody has analysed, the planner would have the events scanned. Setting the
 * option for the transaction adds two round trips, and no commit.
 */
async function queryByIndex<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN READ ONLY; SET LOCAL enable_seqscan = off');
    const { rows } = await client.query<Row>(text, [...values]);
    await client.query('COMMIT');
    broken = false;
    return rows;
  } finally {
    client.release(broken);
  }
}

/** About how many events of the log a reader has handled: its partitions share the log, so it is the mean of their places. */
export function handledEvents(partitions: readonly TailLag[], latestPosition: number): number {
  const places = partitions.map(({ behindMs, checkpoint }) =>
    behindMs === undefined ? latestPosition : Math.min(checkpoint.position, latestPosition),
  );
  return Math.floor(places.reduce((sum, place) => sum + place, 0) / Math.max(1, places.length));
}
