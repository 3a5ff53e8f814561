import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { TAIL_START, type TailPosition } from './tail-position.js';

/**
 * The place of the newest committed event; TAIL_START when there is none. A subscription that has passed it has handled
 * everything that was committed before the call.
 */
export async function latestHorizon(pool: pg.Pool): Promise<TailPosition> {
  try {
    const { rows } = await pool.query<{ transaction_id: string; position: string }>(
      'SELECT transaction_id, position FROM phaseline.events ORDER BY transaction_id DESC, position DESC LIMIT 1',
    );
    const [row] = rows;
    return row ? { transactionId: row.transaction_id, position: Number(row.position) } : TAIL_START;
  } catch (error) {
    throw mapDatabaseError(error);
  }
}

export interface PartitionProgress extends TailPosition {
  readonly partition: number;
  /** The replica that holds it; undefined when none does. */
  readonly owner: string | undefined;
}

/** How far each partition of a subscription is, as last written down (idle partitions: up to a second ago). For people. */
export async function subscriptionProgress(pool: pg.Pool, name: string): Promise<PartitionProgress[]> {
  try {
    const { rows } = await pool.query<{
      partition: number;
      transaction_id: string;
      position: string;
      owner: string | null;
    }>(
      `SELECT partition, transaction_id, position, CASE WHEN lease_expires_at > now() THEN owner END AS owner
       FROM phaseline.subscriptions WHERE name = $1 ORDER BY partition`,
      [name],
    );
    return rows.map((row) => ({
      partition: row.partition,
      transactionId: row.transaction_id,
      position: Number(row.position),
      owner: row.owner ?? undefined,
    }));
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
