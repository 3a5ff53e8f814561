import type { QueueName, QueuedMessageId } from '@phaseline/contracts';

/**
 * Why a message became a dead letter:
 * - `unparsable`: the message does not match the contract of its queue; no handler received it
 * - `not-retryable`: the handler threw an error with `retryable: false`
 * - `exhausted`: all attempts failed
 * - `stalled`: too many workers died while handling it
 */
export type DeadLetterKind = 'unparsable' | 'not-retryable' | 'exhausted' | 'stalled';

/** A rejected message, with everything needed to diagnose it and to send it again. */
export interface DeadLetter {
  readonly queue: QueueName;
  readonly messageId: QueuedMessageId;
  /** Name of the BullMQ job: the queue's name, or any name chosen by a foreign producer. */
  readonly messageName: string;
  /** The payload as received, with its text cleaned for `jsonb`. The raw text if it was not JSON. */
  readonly payload: unknown;
  readonly kind: DeadLetterKind;
  /** Explanation for people: the message of the last error, or which field is wrong and why. At most 2,000 characters. */
  readonly reason: string;
  /** Stable code of the last error, if it had one. */
  readonly code?: string;
  /** Number of failed deliveries, including the last. */
  readonly attempts: number;
  /** Time of sending in epoch milliseconds, from the sender's clock. Identifies the dead letter together with `queue` and `messageId`. */
  readonly enqueuedAt: number;
}

/**
 * Stores a dead letter. The message is removed only after this resolves; while it rejects, the message is delivered again every few
 * seconds. If the process dies in between, the same dead letter arrives twice, so key it by (queue, messageId, enqueuedAt).
 */
export type DeadLetterSink = (deadLetter: DeadLetter) => Promise<void>;
