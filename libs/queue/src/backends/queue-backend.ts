import type { Job, Queue, WorkerOptions } from 'bullmq';
import type { QueueName } from '../catalogue.js';
import type { ContractWorker } from '../contract-worker.js';
import type { JsonBounds } from '../json-scan.js';
import type { QueuedMessage } from '../queued-message.js';

/** State of one queue. Nothing waits in `failed`: what fails for good is a dead letter. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** How long the oldest waiting message has been ready, in milliseconds; undefined when none waits. */
  readonly oldestAgeMs: number | undefined;
}

/** What a caller's transaction must be able to do: run a statement with `$1` parameters. A `pg` client fits as it is. */
export interface SqlTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export type Processor = (job: Job<unknown, void, string>, token?: string) => Promise<void>;
export type WorkerTuning = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'lockRenewTime' | 'stalledInterval' | 'drainDelay'
>;

/** A message whose worker let its lock end this long ago counts as missing, in milliseconds: the search for it has failed. */
export const missingAfterMs = 30_000;

/** What the two backends do differently. Everything else is BullMQ's, and the same. */
export interface QueueBackend {
  readonly kind: 'postgres' | 'redis';
  /** Whether `inside` works. */
  readonly transactional: boolean;
  /** @throws QueueUnavailable when the server cannot be reached within `timeoutMs` */
  ready(timeoutMs: number): Promise<void>;
  /** The time that a message is sent at, where the server does not know its own; otherwise undefined. */
  now?(): number;
  queue(name: QueueName): Queue;
  worker(name: QueueName, processor: Processor, tuning: WorkerTuning, bounds: JsonBounds): ContractWorker;
  /** Runs `send`; what it stores is safe on disk afterwards, if the server offers that. */
  durably(send: () => Promise<void>): Promise<void>;
  /** Runs `send`; what it stores becomes part of the transaction. */
  inside(transaction: SqlTransaction, send: () => Promise<void>): Promise<void>;
  /** Whether many messages at once are cheaper in one call of `addBulk`. */
  readonly bulk: boolean;
  /** Whether the message waits, is delayed or is being handled by a worker that has given a sign of life lately. */
  has(name: QueueName, messageId: string): Promise<boolean>;
  /** Makes messages available again whose worker let their lock end at least `missingAfterMs` ago. Returns how many. */
  takeBackLost(names: readonly QueueName[]): Promise<number>;
  /** Whether the server answered lately, so that it need not be asked. Absent: it is asked each time. */
  answeredLately?(): boolean;
  depths(names: readonly QueueName[]): Promise<Map<QueueName, QueueDepth>>;
  /** Messages that have not ended, at most so many of each state, the oldest first. */
  messages(name: QueueName, limit: number): Promise<QueuedMessage[]>;
  close(): Promise<void>;
}

/**
 * The same for every worker everywhere: on Redis the workers of a queue share one stalled check, and the longest interval wins.
 * There is no count of stalls that BullMQ should act on: it would drop the message without asking for a dead letter.
 *
 * A lock is renewed every second, so that one of 6.5 s outlasts an event loop that is blocked for 5 s. A vanished worker's message
 * comes back within one check (1 s) of the end of its lock: 5.5 s after the worker vanished at the earliest, 7.5 s at the latest.
 */
export const workerDefaults = {
  lockDuration: 6_500,
  lockRenewTime: 1_000,
  stalledInterval: 1_000,
  maxStalledCount: 2 ** 31 - 1,
  runRetryDelay: 500,
  drainDelay: 5,
} as const;

/** Nothing reads BullMQ's event stream; it cannot be turned off, so it is kept short. */
export const queueDefaults = { streams: { events: { maxLen: 100 } } } as const;
