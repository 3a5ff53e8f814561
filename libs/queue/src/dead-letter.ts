import type { QueueName } from './catalogue.js';

/**
 * Why a message is given up:
 * - `unparsable`: it does not satisfy the contract of its queue; no handler saw it
 * - `not-retryable`: the handler threw an error with `retryable: false`
 * - `exhausted`: every attempt failed
 * - `stalled`: the workers that took it vanished too often
 */
export type DeadLetterKind = 'unparsable' | 'not-retryable' | 'exhausted' | 'stalled';

/** A message that is given up, with what is needed to judge it and to send it again. */
export interface DeadLetter {
  readonly queue: QueueName;
  readonly messageId: string;
  /** The BullMQ job name: ours is the queue's; foreign producers take any. */
  readonly messageName: string;
  /** As it came, whatever its shape; text in it is clean for `jsonb`. The raw text when it was not JSON at all. */
  readonly payload: unknown;
  readonly kind: DeadLetterKind;
  /** For people: the message of the last error, or which field is wrong and why. At most 2,000 characters. */
  readonly reason: string;
  /** The stable code of the last error, when it had one. */
  readonly code?: string;
  /** Deliveries that failed, this one included. */
  readonly attempts: number;
  /** Epoch milliseconds by the sender's clock. With queue and messageId it names this letter. */
  readonly enqueuedAt: number;
}

/**
 * Stores a dead letter. The message is removed only after this resolves; while it rejects, the message comes again every few
 * seconds. When the process dies in between, the same letter comes twice: store it under (queue, messageId, enqueuedAt).
 */
export type DeadLetterSink = (letter: DeadLetter) => Promise<void>;
