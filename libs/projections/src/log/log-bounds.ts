import { compareTailPositions, type TailPosition, type Queryable } from '@phaseline/event-store';

/**
 * Number of partitions, which is the maximum number of replicas that share the work. Checkpoints are stored per
 * partition, so it never changes.
 */
export const PARTITIONS = 8;

/** Name under which the checkpoints of the read models are stored. */
export const SUBSCRIPTION = 'read-models';

/** The position up to which the log is read, per partition; inclusive. */
export type LogBounds = readonly TailPosition[];

const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/**
 * Returns the checkpoints of the read models in the current snapshot; the start of the log where no process has read
 * yet.
 */
export async function readCheckpoints(database: Queryable): Promise<LogBounds> {
  const { rows } = await database.query<{ partition: number; transaction_id: string; position: string }>(
    'SELECT partition, transaction_id, position FROM phaseline.subscriptions WHERE name = $1',
    [SUBSCRIPTION],
  );
  const bounds: TailPosition[] = Array.from({ length: PARTITIONS }, () => ({ transactionId: '0', position: 0 }));
  for (const row of rows) bounds[row.partition] = { transactionId: row.transaction_id, position: Number(row.position) };
  return bounds;
}

/**
 * Returns how far the log may be read now: up to the last event of transactions below the oldest open one. Later
 * commits come after it, even when their positions are lower.
 */
export async function readSafeBounds(database: Queryable): Promise<LogBounds> {
  const { rows } = await database.query<{ oldest: string }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest',
  );
  const last = { transactionId: String(BigInt(rows[0]!.oldest) - 1n), position: MAX_POSITION };
  return Array.from({ length: PARTITIONS }, () => last);
}

/** Returns the further of two bounds for each partition. */
export function maxBounds(left: LogBounds, right: LogBounds): LogBounds {
  return left.map((place, partition) =>
    compareTailPositions(place, right[partition]!) < 0 ? right[partition]! : place,
  );
}

/** Converts bounds to query parameters: transactions and positions, in the order of partitions. */
export function toBoundParameters(bounds: LogBounds): [string[], number[]] {
  return [bounds.map(({ transactionId }) => transactionId), bounds.map(({ position }) => position)];
}
