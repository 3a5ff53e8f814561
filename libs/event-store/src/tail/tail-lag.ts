import type pg from 'pg';
import { runInTransaction } from '../database/transaction.js';
import type { TailPosition } from './tail-position.js';

/** Checkpoint and lag of a partition of a subscription. */
export interface TailLag {
  readonly name: string;
  readonly partition: number;
  /** Replica that owns the lease; undefined if none does. */
  readonly owner: string | undefined;
  /** Age of the first event after the stored checkpoint in milliseconds; undefined if there is none. */
  readonly behindMs: number | undefined;
  /** Whether an open transaction, not the subscription, holds back that event. */
  readonly isHeldBack: boolean;
  /** The stored checkpoint. */
  readonly checkpoint: TailPosition;
  /** Time when the checkpoint was last written; ISO 8601. */
  readonly writtenAt: string;
}

/** Rows to scan after a checkpoint for the first event of the partition. */
const ROWS_PER_PARTITION = 2_000;

/**
 * Reads how far subscriptions are behind the log, according to their stored checkpoints, which may be some seconds old. `behindMs`
 * considers events of all types, because checkpoints also advance past types that a subscription does not handle.
 */
export async function readTailLag(
  pool: pg.Pool,
  filter: { readonly name?: string; readonly owner?: string } = {},
): Promise<TailLag[]> {
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
         ORDER BY transaction_id, position LIMIT ${ROWS_PER_PARTITION}
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
    isHeldBack: row.gated ?? false,
    checkpoint: { transactionId: row.transaction_id, position: Number(row.position) },
    writtenAt: row.updated_at.toISOString(),
  }));
}

/**
 * Runs a query without sequential scans. Readiness checks run it every few seconds, and on a new database without statistics the
 * planner would scan all events. Setting the option for a transaction costs two round trips but no commit.
 */
function queryByIndex<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const begin = 'BEGIN READ ONLY; SET LOCAL enable_seqscan = off';
  return runInTransaction(pool, async (client) => (await client.query<Row>(text, [...values])).rows, begin);
}

/** Estimates the number of events that a subscription has handled: the mean position of its partitions, which share the log. */
export function estimateHandledEvents(partitions: readonly TailLag[], latestPosition: number): number {
  const positions = partitions.map(({ behindMs, checkpoint }) =>
    behindMs === undefined ? latestPosition : Math.min(checkpoint.position, latestPosition),
  );
  return Math.floor(positions.reduce((sum, position) => sum + position, 0) / Math.max(1, positions.length));
}
