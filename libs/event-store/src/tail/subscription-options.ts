import type { Transaction } from 'kysely';
import type { EventStoreTables } from '../database/tables.js';
import type { RecordedEvent } from '../read/recorded-event.js';
import type { Wakeups } from './wakeups.js';

export interface HandlerContext {
  readonly partition: number;
  /** Aborted when the subscription closes. */
  readonly signal: AbortSignal;
}

/**
 * Handles a page of events of one partition. The checkpoint is saved after it resolves, so after a crash in between the
 * page comes again: at least once.
 */
export type Handler = (events: readonly RecordedEvent[], context: HandlerContext) => Promise<void>;

/**
 * Handles a page in a transaction that also carries the checkpoint: what it writes there happens exactly once.
 * `trx.withTables<…>()` gives it the tables of the caller.
 */
export type TransactionHandler = (
  trx: Transaction<EventStoreTables>,
  events: readonly RecordedEvent[],
  context: HandlerContext,
) => Promise<void>;

interface CommonOptions {
  /** Names the reader. Its checkpoints are stored under it, so it is never changed. */
  readonly name: string;
  /** The most replicas that can share the work; default 8. Events of one correlation are always in one partition. */
  readonly partitions?: number;
  /** Only events of these types; default: all. With a later, wider list older events are not handled again. */
  readonly types?: readonly string[];
  /** Identifies the replica among all processes; default: a random id. */
  readonly replicaId?: string;
  /** Most events given to the handler at once; default 100. */
  readonly pageSize?: number;
  /**
   * How often the log is read when nothing happens, in milliseconds; default 250. Once nothing has happened for half a minute, readers
   * wait until a round of their process sees a new event, at most two seconds later, or a control event is announced.
   */
  readonly pollMs?: number;
  /** After this long without a sign of life, a replica's partitions pass to others; in milliseconds, default 7 s. */
  readonly leaseMs?: number;
  /** How often the leases are prolonged, in milliseconds; default a second, or a quarter of `leaseMs` where that is less. */
  readonly tendMs?: number;
  /** Looks at the log at once when a control event is heard of. It stays the caller's, to start and to close. */
  readonly listener?: Wakeups;
  /** While it returns true the replica works on nothing and leaves its partitions to others. */
  readonly paused?: () => boolean;
  /** Told of every failure. A page whose handler fails is handed over again after a pause, and its partition waits for it. */
  readonly onError?: (error: Error, partition: number | undefined) => void;
}

export type SubscriptionOptions = CommonOptions &
  ({ readonly handle: Handler } | { readonly handleInTransaction: TransactionHandler });
