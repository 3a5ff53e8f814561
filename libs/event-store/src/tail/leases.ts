import { sql, type Kysely, type Transaction } from 'kysely';
import type { EventStoreTables } from '../database/tables.js';
import { LeaseLost, PartitionsDiffer } from './tail-errors.js';
import type { TailPosition } from './tail-position.js';

/** A partition held by this replica. The epoch is the fence: it rises whenever the partition changes hands. */
export interface Lease {
  readonly partition: number;
  readonly epoch: string;
}

export interface HeldPosition extends Lease {
  readonly cursor: TailPosition;
}

export interface LeasesOptions {
  readonly name: string;
  readonly partitions: number;
  /** Identifies the replica. */
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
 * The lease table: who holds which partition of a subscription. All expiry is judged by the database's clock. Leases are prolonged for
 * all readers of a process at once (tend-leases.ts).
 */
export class Leases {
  constructor(
    private readonly db: Kysely<EventStoreTables>,
    private readonly options: LeasesOptions,
  ) {}

  /**
   * Creates the rows of the subscription. When they are there with another number of partitions and nobody holds any,
   * they are divided anew from the checkpoint that is furthest back: some events are handled twice, none is left out.
   */
  async prepare(): Promise<void> {
    const { name, partitions } = this.options;
    await this.db.transaction().execute(async (trx) => {
      // Replicas that start together prepare one after the other. Blocking nothing else: the key is the subscription's.
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 7406318256))`.execute(trx);
      // Without row locks: whoever starts beside replicas at work neither waits for them nor makes a circle of waits.
      const { rows: there } = await sql<{ partitions: number }>`
        SELECT partitions FROM phaseline.subscriptions WHERE name = ${name}`.execute(trx);
      if (there[0]?.partitions === partitions && there.length === partitions) return;
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

  /** Takes up to `count` partitions that nobody holds. */
  async claim(count: number, held: readonly number[]): Promise<HeldPosition[]> {
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

  /** Writes a checkpoint. In a transaction it fences everything else in there: throws LeaseLost when the lease has passed on. */
  async save(database: Database, { partition, epoch }: Lease, cursor: TailPosition): Promise<void> {
    const { name, owner } = this.options;
    const { numAffectedRows } = await sql`
      UPDATE phaseline.subscriptions
      SET transaction_id = ${cursor.transactionId}::xid8, position = ${cursor.position}::bigint, updated_at = now()
      WHERE name = ${name} AND partition = ${partition} AND owner = ${owner} AND epoch = ${epoch}::bigint`.execute(
      database,
    );
    if (numAffectedRows !== 1n) throw new LeaseLost(name, partition);
  }

  /** Gives partitions back, with where they stand. */
  async release(held: readonly HeldPosition[]): Promise<void> {
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

  async leave(): Promise<void> {
    const { name, owner } = this.options;
    await sql`DELETE FROM phaseline.subscription_members WHERE name = ${name} AND owner = ${owner}`.execute(this.db);
  }
}
