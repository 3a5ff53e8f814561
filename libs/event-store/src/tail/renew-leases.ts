import { sql, type Kysely } from 'kysely';
import type { EventStoreTables } from '../database/tables.js';
import type { ClaimedPartition, PartitionLeasesOptions } from './partition-leases.js';
import type { TailPosition } from './tail-position.js';

/** A subscription with its leases. */
export interface ReaderLeases extends PartitionLeasesOptions {
  readonly held: readonly ClaimedPartition[];
}

export interface ReaderRenewal {
  /** Number of partitions that this replica should hold. */
  readonly fairShare: number;
  /** Whether there is no other replica. */
  readonly isAlone: boolean;
  /** Partitions whose lease was renewed. */
  readonly renewedPartitions: ReadonlySet<number>;
}

export interface LeaseRenewal {
  /** Outcomes in the order of the readers. */
  readonly readers: readonly ReaderRenewal[];
  /** Tail position of the newest committed event; undefined if the log is empty. */
  readonly newest: TailPosition | undefined;
  /** Whether all transactions that could add an event before `newest` have ended. */
  readonly isFinal: boolean;
}

interface Row {
  others: string[];
  kept: number[];
  transaction_id: string | null;
  position: string | null;
  is_final: boolean | null;
}

/**
 * Renews the leases of all subscriptions of a process in one statement, because it runs every second or two: registers the subscriptions
 * as members, extends their leases, saves their cursors, and reads the position of the newest event. Cursors never move backwards, because
 * a handler may have saved a later checkpoint concurrently.
 */
export async function renewLeases(
  db: Kysely<EventStoreTables>,
  readers: readonly ReaderLeases[],
): Promise<LeaseRenewal> {
  const held = readers.flatMap(({ name, owner, leaseMs, held }) =>
    held.map((lease) => ({ ...lease, name, owner, leaseMs })),
  );
  const { rows } = await sql<Row>`
    WITH reader AS (
      SELECT * FROM unnest(${readers.map(({ name }) => name)}::text[], ${readers.map(({ owner }) => owner)}::text[],
                           ${readers.map(({ leaseMs }) => leaseMs)}::float8[]) WITH ORDINALITY AS r(name, owner, lease_ms, place)
    ), joined AS (
      INSERT INTO phaseline.subscription_members (name, owner, expires_at)
      SELECT name, owner, clock_timestamp() + lease_ms * interval '1 millisecond' FROM reader
      ON CONFLICT (name, owner) DO UPDATE SET expires_at = excluded.expires_at
    ), expired AS (
      -- Replicas remove the same rows concurrently. SKIP LOCKED prevents waiting while holding row locks.
      SELECT m.name, m.owner FROM phaseline.subscription_members AS m
      WHERE m.expires_at <= clock_timestamp()
        AND m.name IN (SELECT name FROM reader) AND NOT EXISTS (SELECT FROM reader AS r WHERE r.name = m.name AND r.owner = m.owner)
      FOR UPDATE OF m SKIP LOCKED
    ), removed AS (
      DELETE FROM phaseline.subscription_members AS m USING expired AS e WHERE m.name = e.name AND m.owner = e.owner
    ), renewed AS (
      UPDATE phaseline.subscriptions AS s
      SET lease_expires_at = clock_timestamp() + h.lease_ms * interval '1 millisecond',
          (transaction_id, position) = (
            SELECT greatest.* FROM (VALUES (s.transaction_id, s.position), (h.transaction_id, h.position)) AS greatest(transaction_id, position)
            ORDER BY 1 DESC, 2 DESC LIMIT 1),
          updated_at = now()
      FROM unnest(${held.map(({ name }) => name)}::text[], ${held.map(({ owner }) => owner)}::text[],
                  ${held.map(({ leaseMs }) => leaseMs)}::float8[], ${held.map(({ partition }) => partition)}::integer[],
                  ${held.map(({ epoch }) => epoch)}::bigint[], ${held.map(({ cursor }) => cursor.transactionId)}::text[]::xid8[],
                  ${held.map(({ cursor }) => cursor.position)}::bigint[])
        AS h(name, owner, lease_ms, partition, epoch, transaction_id, position)
      WHERE s.name = h.name AND s.partition = h.partition AND s.owner = h.owner AND s.epoch = h.epoch
      RETURNING s.name, s.owner, s.partition
    )
    SELECT
      ARRAY(SELECT m.owner FROM phaseline.subscription_members AS m
            WHERE m.name = r.name AND m.owner <> r.owner AND m.expires_at > clock_timestamp()) AS others,
      ARRAY(SELECT k.partition FROM renewed AS k WHERE k.name = r.name AND k.owner = r.owner) AS kept,
      newest.transaction_id, newest.position, newest.is_final
    FROM reader AS r
    LEFT JOIN (
      SELECT transaction_id, position, transaction_id < pg_snapshot_xmin(pg_current_snapshot()) AS is_final
      FROM phaseline.events ORDER BY transaction_id DESC, position DESC LIMIT 1
    ) AS newest ON true
    ORDER BY r.place`.execute(db);
  const [first] = rows;
  return {
    readers: rows.map((row, index) => toOutcome(readers[index]!, row)),
    newest:
      first && first.transaction_id !== null
        ? { transactionId: first.transaction_id, position: Number(first.position) }
        : undefined,
    isFinal: first?.is_final ?? true,
  };
}

function toOutcome({ owner, partitions }: ReaderLeases, { others, kept }: Row): ReaderRenewal {
  // All replicas sort alike, so the shares add up. If the partitions do not divide evenly, the first replicas get one more.
  const members = [...others, owner].sort((a, b) => (a < b ? -1 : 1));
  const rank = members.indexOf(owner);
  const fairShare = Math.floor(partitions / members.length) + (rank < partitions % members.length ? 1 : 0);
  return { fairShare, isAlone: others.length === 0, renewedPartitions: new Set(kept) };
}
