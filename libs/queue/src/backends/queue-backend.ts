import type { Job, Queue, WorkerOptions } from 'bullmq';
import type { QueueName, QueuedMessageId } from '@phaseline/contracts';
import type { ContractWorker } from '../contract-worker.js';
import type { Transport } from '../hand-over/transport.js';
import type { JsonBounds } from '../json-scan.js';
import type { QueuedMessage } from '../queued-message.js';

/** Message counts of one queue. `failed` stays 0: a message that fails finally becomes a dead letter. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** Milliseconds since the oldest waiting message became due; undefined if none is waiting. */
  readonly oldestAgeMs: number | undefined;
}

/** A caller's transaction: runs statements with `$1` parameters. A `pg` client satisfies it. */
export interface SqlTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export type Processor = (job: Job<unknown, void, string>, token?: string) => Promise<void>;
export type WorkerTuning = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'lockRenewTime' | 'stalledInterval' | 'drainDelay'
>;

/** Milliseconds after which an active message with an expired lock counts as missing: the regular stalled check should have found it. */
export const MISSING_AFTER_MS = 30_000;

/** The operations in which the two backends differ. Everything else is BullMQ code used by both. */
export interface QueueBackend {
  readonly kind: 'postgres' | 'redis';
  /** Whether `inside` works. */
  readonly isTransactional: boolean;
  /** @throws QueueUnavailable if the server cannot be reached within `timeoutMs` */
  waitUntilReady(timeoutMs: number): Promise<void>;
  /** Time to send a message with, in epoch milliseconds. Absent if the server sets the time itself. */
  now?(): number;
  createQueue(name: QueueName): Queue;
  createWorker(name: QueueName, processor: Processor, tuning: WorkerTuning, bounds: JsonBounds): ContractWorker;
  /** Runs `send` and waits until the messages it stores are flushed to disk, if the server supports that. */
  runDurably(send: () => Promise<void>): Promise<void>;
  /** Runs `send`; the messages it stores become part of the transaction. */
  runInTransaction(transaction: SqlTransaction, send: () => Promise<void>): Promise<void>;
  /** Whether one call of `addBulk` is cheaper than single sends. */
  readonly hasCheapBulk: boolean;
  /** Whether the message is waiting, delayed or active, and not missing (see `missingAfterMs`). */
  has(name: QueueName, messageId: QueuedMessageId): Promise<boolean>;
  /** Makes messages available again whose locks expired at least `missingAfterMs` ago. Returns their number. */
  recoverStalled(names: readonly QueueName[]): Promise<number>;
  /** Whether the server responded recently, so that a health check need not query it. Absent: every check queries it. */
  hasAnsweredRecently?(): boolean;
  /** Opens what carries messages that processes hand over to each other. */
  createTransport(): Transport;
  readDepths(names: readonly QueueName[]): Promise<Map<QueueName, QueueDepth>>;
  /** Number of waiting and active messages that became due within the last `withinMs` milliseconds. */
  countRecent(name: QueueName, withinMs: number): Promise<number>;
  /** The oldest unfinished messages, at most `limit` per state, oldest first. */
  listMessages(name: QueueName, limit: number): Promise<QueuedMessage[]>;
  close(): Promise<void>;
}

/**
 * BullMQ options of all workers. They must be the same in every process: on Redis the workers of a queue share one stalled check, and
 * the longest interval applies. `maxStalledCount` is practically infinite, because BullMQ would drop the message without a dead letter.
 *
 * A lock is renewed every second, so a lock of 6.5 s survives an event loop that is blocked for 5 s. A dead worker's message is
 * recovered within one check (1 s) after its lock expires: between 5.5 s and 7.5 s after the worker died.
 */
export const workerDefaults = {
  lockDuration: 6_500,
  lockRenewTime: 1_000,
  stalledInterval: 1_000,
  maxStalledCount: 2 ** 31 - 1,
  runRetryDelay: 500,
  drainDelay: 5,
} as const;

/** BullMQ options of all queues. The event stream is unused but cannot be turned off, so it is kept short. */
export const queueDefaults = { streams: { events: { maxLen: 100 } } } as const;
