import type { JobId, ProcessId, StreamId, QueuedMessageId } from '@phaseline/contracts';
import type { ColumnType, Generated } from 'kysely';

/**
 * Table types for the queries that use Kysely. Only phaseline.append writes `events` and `streams`. node-postgres returns bigint and
 * xid8 as strings.
 */
type Stamp = ColumnType<Date, Date | string | undefined, Date | string>;

export interface StreamsTable {
  readonly stream_id: StreamId;
  readonly version: string;
  readonly hash: Buffer;
  readonly correlation_id: JobId;
  readonly closed: boolean;
  readonly updated_at: Date;
}

interface BlobsTable {
  hash: Buffer;
  size: Generated<string>;
  content: Buffer;
  stored_at: Generated<Date>;
}

interface SubscriptionsTable {
  name: string;
  partition: number;
  partitions: number;
  transaction_id: Generated<string>;
  position: Generated<string>;
  owner: string | null;
  lease_expires_at: Stamp | null;
  epoch: Generated<string>;
  updated_at: Stamp;
}

interface SubscriptionMembersTable {
  name: string;
  owner: string;
  expires_at: Stamp;
}

interface ProcessesTable {
  process_id: ProcessId;
  service: string;
  version: Generated<string>;
  schema_versions: ColumnType<Record<string, number>, string | undefined, string>;
  host: Generated<string>;
  started_at: Stamp;
  heartbeat_at: Stamp;
  clock_at: Stamp | null;
  problems: Generated<string[]>;
  leases: Generated<string[]>;
  slots: Generated<number>;
  abilities: ColumnType<Record<string, unknown>, string | undefined, string>;
  pid: number | null;
  queues: string[] | null;
  load: ColumnType<unknown, string | undefined, string>;
  unreachable_from: Stamp | null;
  recovered_at: Stamp | null;
}

export interface DeadLettersTable {
  id: Generated<string>;
  queue: string;
  message_id: QueuedMessageId;
  enqueued_at: ColumnType<Date | null, Date | string | null | undefined, never>;
  payload: ColumnType<unknown, string | null, never>;
  payload_text: string | null;
  reason: string;
  attempts: number;
  failed_at: Stamp;
  retried_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  discarded_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  discarded_by: ColumnType<string | null, string | null | undefined, string | null>;
  discard_reason: ColumnType<string | null, string | null | undefined, string | null>;
}

export interface QuarantineTable {
  stream_id: StreamId;
  correlation_id: JobId;
  fingerprint: string;
  reason: string;
  failures: number;
  release: string;
  first_at: Stamp;
  last_at: Stamp;
  quarantined_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  next_check_at: Stamp;
}

export interface EventStoreTables {
  'phaseline.streams': StreamsTable;
  'phaseline.blobs': BlobsTable;
  'phaseline.subscriptions': SubscriptionsTable;
  'phaseline.subscription_members': SubscriptionMembersTable;
  'phaseline.processes': ProcessesTable;
  'phaseline.dead_letters': DeadLettersTable;
  'phaseline.quarantine': QuarantineTable;
}
