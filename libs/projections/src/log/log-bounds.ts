import type { TailPosition } from '@phaseline/event-store';
import type { Queryable } from '../tables/queryable.js';

/** Replicas that can share the work. Checkpoints are stored by it; it is never changed. */
export const PARTITIONS = 8;

/** Checkpoints of the read models are stored under it. */
export const SUBSCRIPTION = 'read-models';

/** How far the log is looked at, by partition: up to and including. */
export type LogBounds = readonly TailPosition[];

const FAR = Number.MAX_SAFE_INTEGER;

/** How far the read models are, as their tables have it in this very snapshot; the start where nobody has read yet. */
export async function checkpoints(database: Queryable): Promise<LogBounds> {
  const { rows } = await database.query<{ partition: number; transaction_id: string; position: string }>(
    'SELECT partition, transaction_id, position FROM phaseline.subscriptions WHERE name = $1',
    [SUBSCRIPTION],
  );
  const bounds: TailPosition[] = Array.from({ length: PARTITIONS }, () => ({ transactionId: '0', position: 0 }));
  for (const row of rows) bounds[row.partition] = { transactionId: row.transaction_id, position: Number(row.position) };
  return bounds;
}

/**
 * The furthest that may be looked at now: behind everything of transactions below the oldest one that is under way. What
 * commits later lies behind it, also when its positions are low.
 */
export async function gate(database: Queryable): Promise<LogBounds> {
  const { rows } = await database.query<{ oldest: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest',
    [],
  );
  const last = { transactionId: String(BigInt(rows[0]!.oldest) - 1n), position: FAR };
  return Array.from({ length: PARTITIONS }, () => last);
}

/** By partition the further of two. */
export function furthest(left: LogBounds, right: LogBounds): LogBounds {
  return left.map((place, partition) => (isBehind(place, right[partition]!) ? right[partition]! : place));
}

function isBehind(left: TailPosition, right: TailPosition): boolean {
  const [a, b] = [BigInt(left.transactionId), BigInt(right.transactionId)];
  return a === b ? left.position < right.position : a < b;
}

/** Bounds as parameters of a query: transactions and positions, in the order of partitions. */
export function boundParameters(bounds: LogBounds): [string[], number[]] {
  return [bounds.map(({ transactionId }) => transactionId), bounds.map(({ position }) => position)];
}
