import type { Transaction } from 'kysely';
import type { EventStoreTables } from '../database/tables.js';
import type { ColdStorage } from '../cold/cold-storage.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import type { Wakeups } from './wakeups.js';

interface HandlerContext {
  readonly partition: number;
  /** Aborted when the subscription closes. */
  readonly signal: AbortSignal;
}

/**
 * Handles a page of events of one partition. The checkpoint is saved after it resolves, so a page is delivered at least once: after a
 * crash in between it is delivered again.
 */
type Handler = (events: readonly RecordedEvent[], context: HandlerContext) => Promise<void>;

/**
 * Handles a page in the transaction that also saves the checkpoint, so its writes in that transaction take effect exactly once.
 * `trx.withTables<…>()` adds the tables of the caller.
 */
export type TransactionHandler = (
  trx: Transaction<EventStoreTables>,
  events: readonly RecordedEvent[],
  context: HandlerContext,
) => Promise<void>;

interface CommonOptions {
  /** Name of the subscription. Checkpoints are stored under it, so it must never change. */
  readonly name: string;
  /** Number of partitions: the maximum number of replicas that share the work; default 8. A correlation is always in one partition. */
  readonly partitions?: number;
  /** Event types to handle; default: all. Types added later are handled only from the current checkpoint on. */
  readonly types?: readonly string[];
  /** Unique id of the replica; default: a random id. */
  readonly replicaId?: string;
  /** Maximum number of events per call of the handler; default 100. */
  readonly pageSize?: number;
  /**
   * Polling interval in milliseconds; default 250. After three seconds without new events, subscriptions stop polling until a new event
   * is announced, or the shared round of their process detects one (within three seconds).
   */
  readonly pollMs?: number;
  /**
   * Shortest time between two reads that find events, in milliseconds; default 0. Events that follow each other more quickly are handled
   * together, so that a handler with a high cost per page does not use a processor of its own. The first event after a pause does not wait.
   */
  readonly minIntervalMs?: number;
  /** Duration of a lease in milliseconds; default 7 s. If a replica does not renew it in time, others claim the partition. */
  readonly leaseMs?: number;
  /** Interval between lease renewals in milliseconds; default one second, or a quarter of `leaseMs` if that is shorter. */
  readonly renewalIntervalMs?: number;
  /**
   * Where the events of moved jobs are, for a subscription that reads the log from its start. Without it, such a subscription reports
   * ColdStorageNotConfigured and waits.
   */
  readonly cold?: ColdStorage | undefined;
  /** Source of notifications that trigger an immediate read. The caller starts and closes it. */
  readonly listener?: Wakeups;
  /** Returns true while the replica must not work. It then releases its partitions to other replicas. */
  readonly isPaused?: () => boolean;
  /** Called for every failure. If a handler fails, its page is retried after a pause, and the partition waits for it. */
  readonly onError?: (error: Error, partition: number | undefined) => void;
}

export type SubscriptionOptions = CommonOptions &
  ({ readonly handle: Handler } | { readonly handleInTransaction: TransactionHandler });
