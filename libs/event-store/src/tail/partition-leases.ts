import { sql, type Kysely, type Transaction } from 'kysely';
import type { EventStoreTables } from '../database/tables.js';
import { LeaseLost, PartitionsDiffer } from './tail-errors.js';
import type { TailPosition } from './tail-position.js';

/** A lease on a partition. The epoch is a fencing token that increases with every claim of the partition. */
export interface PartitionLease {
  readonly partition: number;
  readonly epoch: string;
}

export interface ClaimedPartition extends PartitionLease {
  readonly cursor: TailPosition;
}

export interface PartitionLeasesOptions {
  readonly name: string;
  readonly partitions: number;
  /** Id of the replica. */
  readonly owner: string;
  readonly leaseMs: number;
}

type Database = Kysely<EventStoreTables> | Transaction<EventStoreTables>;

interface LeaseRow {
  partition: number;
  epoch: string;
  transaction_id: string;
  position: string;
}

/**
 * Manages the leases on the partitions of a subscription. Expiry is determined by the clock of the database. Leases are renewed for all
 * subscriptions of a process in one statement (renew-leases.ts).
 */
export class PartitionLeases {
  constructor(
    private readonly db: Kysely<EventStoreTables>,
    private readonly options: PartitionLeasesOptions,
  ) {}

  /**
   * Creates the rows of the subscription. If they exist with another number of partitions and no lease is held, they are replaced and
   * start from the earliest checkpoint: some events are handled twice, but none is skipped.
   */
  async prepare(): Promise<void> {
    const { name, partitions } = this.options;
    await this.db.transaction().execute(async (trx) => {
      // Serialises replicas that start concurrently. The key is specific to the subscription, so nothing else is blocked.
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 7406318256))`.execute(trx);
      // Checks without row locks, so that a replica that starts neither waits for running replicas nor causes deadlocks.
      const { rows: existing } = await sql<{ partitions: number }>`
        SELECT partitions FROM phaseline.subscriptions WHERE name = ${name}`.execute(trx);
      if (existing[0]?.partitions === partitions && existing.length === partitions) return;
      const { rows } = await sql<{ partitions: number; held: boolean; transaction_id: string; position: string }>`
        SELECT partitions, coalesce(lease_expires_at > now(), false) AS held, transaction_id, position
        FROM phaseline.subscriptions WHERE name = ${name} ORDER BY transaction_id, position FOR UPDATE`.execute(trx);
      const [first] = rows;
      if (first && rows.some((row) => row.held)) throw new PartitionsDiffer(name, partitions, first.partitions);
      await sql`DELETE FROM phaseline.subscriptions WHERE name = ${name}`.execute(trx);
      await sql`
        INSERT INTO phaseline.subscriptions (name, partition, partitions, transaction_id, position)
        SELECT ${name}, n, ${partitions}::integer, ${first?.transaction_id ?? '0'}::xid8, ${first?.position ?? '0'}::bigint
        FROM generate_series(0, ${partitions}::integer - 1) AS n`.execute(trx);
    });
  }

  /** Claims up to `count` partitions whose lease no other replica holds. */
  async claim(count: number, held: readonly number[]): Promise<ClaimedPartition[]> {
    const { name, owner, leaseMs } = this.options;
    const { rows } = await sql<LeaseRow>`
      UPDATE phaseline.subscriptions AS s
      SET owner = ${owner}, epoch = s.epoch + 1, lease_expires_at = clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'
      FROM (
        SELECT partition FROM phaseline.subscriptions
        WHERE name = ${name} AND partition <> ALL (${held}::integer[])
          AND (owner IS NULL OR owner = ${owner} OR lease_expires_at <= clock_timestamp())
        ORDER BY partition LIMIT ${count} FOR UPDATE SKIP LOCKED
      ) AS free
      WHERE s.name = ${name} AND s.partition = free.partition
      RETURNING s.partition, s.epoch, s.transaction_id, s.position`.execute(this.db);
    return rows.map((row) => ({
      partition: row.partition,
      epoch: row.epoch,
      cursor: { transactionId: row.transaction_id, position: Number(row.position) },
    }));
  }

  /**
   * Saves a checkpoint, without waiting for the disk: after a crash of the server the events since the last flush are delivered again, as
   * they are after a crash of the reader. In a transaction, this holds for all of its writes, which are undone together with the
   * checkpoint. Throws LeaseLost if the lease was lost, which rolls back a surrounding transaction.
   */
  async save(database: Database, { partition, epoch }: PartitionLease, cursor: TailPosition): Promise<void> {
    const { name, owner } = this.options;
    const { numAffectedRows } = await sql`
      UPDATE phaseline.subscriptions
      SET transaction_id = ${cursor.transactionId}::xid8, position = ${cursor.position}::bigint, updated_at = now()
      FROM (SELECT set_config('synchronous_commit', 'off', true)) AS of_transaction(synchronous_commit)
      WHERE name = ${name} AND partition = ${partition} AND owner = ${owner} AND epoch = ${epoch}::bigint
        AND synchronous_commit = 'off'`.execute(database);
    if (numAffectedRows !== 1n) throw new LeaseLost(name, partition);
  }

  /** Releases leases and saves their checkpoints. */
  async release(held: readonly ClaimedPartition[]): Promise<void> {
    const { name, owner } = this.options;
    for (const { partition, epoch, cursor } of held) {
      await sql`
        UPDATE phaseline.subscriptions
        SET owner = NULL, lease_expires_at = NULL, transaction_id = ${cursor.transactionId}::xid8, position = ${cursor.position}::bigint, updated_at = now()
        WHERE name = ${name} AND partition = ${partition} AND owner = ${owner} AND epoch = ${epoch}::bigint`.execute(
        this.db,
      );
    }
  }

  /** Removes this replica from the members of the subscription. */
  async leave(): Promise<void> {
    const { name, owner } = this.options;
    await sql`DELETE FROM phaseline.subscription_members WHERE name = ${name} AND owner = ${owner}`.execute(this.db);
  }
}
