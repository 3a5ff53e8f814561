import type pg from 'pg';
import { queryRows } from '../database/query-rows.js';
import { TAIL_START, type TailPosition } from './tail-position.js';

/**
 * Reads the tail position of the newest committed event; TAIL_START if the log is empty. A subscription that has passed it has handled
 * all events committed before the call.
 */
export async function readLatestTailPosition(pool: pg.Pool): Promise<TailPosition> {
  const [row] = await queryRows<{ transaction_id: string; position: string }>(
    pool,
    'SELECT transaction_id, position FROM phaseline.events ORDER BY transaction_id DESC, position DESC LIMIT 1',
  );
  return row ? { transactionId: row.transaction_id, position: Number(row.position) } : TAIL_START;
}

export interface PartitionProgress extends TailPosition {
  readonly partition: number;
  /** Replica that owns the lease; undefined if none does. */
  readonly owner: string | undefined;
}

/** Reads the stored checkpoint of each partition of a subscription. Checkpoints of idle partitions may be some seconds old. */
export async function readSubscriptionProgress(pool: pg.Pool, name: string): Promise<PartitionProgress[]> {
  const rows = await queryRows<{ partition: number; transaction_id: string; position: string; owner: string | null }>(
    pool,
    {
      text: `SELECT partition, transaction_id, position, CASE WHEN lease_expires_at > now() THEN owner END AS owner
        FROM phaseline.subscriptions WHERE name = $1 ORDER BY partition`,
      values: [name],
    },
  );
  return rows.map((row) => ({
    partition: row.partition,
    transactionId: row.transaction_id,
    position: Number(row.position),
    owner: row.owner ?? undefined,
  }));
}
