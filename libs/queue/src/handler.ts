import type { QueueName, QueuedMessageId } from '@phaseline/contracts';

/** The second argument of a handler: describes the delivery. */
export interface DeliveryContext {
  readonly messageId: QueuedMessageId;
  /** Number of this attempt, starting at 1. Only failed runs count, not postponed or interrupted ones. */
  readonly attempt: number;
  /**
   * Whether an earlier delivery of this message ended without completing it: its worker died or was shut down, or the handler
   * threw. The worker of that delivery no longer works on it. Postponing with `retryAt` does not set this.
   */
  readonly isRedelivered: boolean;
  /** Number of workers that died while handling this message. Identifies a message that crashes every process. */
  readonly stalledCount: number;
  /** Whether another process handed the message over, so that it is in no queue. */
  readonly isHandedOver: boolean;
  /** What the sender enclosed, if it handed the message over: JSON that no one else can have written or read. */
  readonly enclosed?: unknown;
  /** Time at which the message was sent, in epoch milliseconds, from the sender's clock. */
  readonly enqueuedAt: number;
  /**
   * Aborted when the handler should stop. The reason is QueueClosing when the process shuts down and LockLost when another worker
   * may have the message. In both cases the message is delivered again, and an error thrown afterwards does not use up an attempt.
   */
  readonly signal: AbortSignal;
}

/** Return value that postpones the message: it is delivered again at `retryAt` (epoch milliseconds). Does not use up an attempt. */
export interface Postponement {
  readonly retryAt: number;
}

/**
 * Handles one message. Delivery is at least once, so a handler must be idempotent. Returning acknowledges the message. After a throw
 * the message is delivered again with backoff, or becomes a dead letter if the error has `retryable: false` or no attempt is left.
 */
export type Handler<Payload> = (payload: Payload, context: DeliveryContext) => Promise<void | Postponement>;

/** How a delivery ended. `released`, `lost` and `abandoned` messages are delivered again without using up an attempt. */
type Outcome = 'completed' | 'postponed' | 'retried' | 'dead-lettered' | 'released' | 'lost' | 'abandoned';

export interface DeliveryResult {
  readonly queue: QueueName;
  readonly outcome: Outcome;
  /** Milliseconds from the time the message was due until it was taken. Undefined for redeliveries, whose wait is intended. */
  readonly waitMs: number | undefined;
  readonly runMs: number;
  /** Time at which the message became due, in epoch milliseconds, from the clock of the queue server. */
  readonly dueAt: number;
}

/** Hooks for counters and histograms. They are called synchronously; errors they throw are passed to `onError`. */
export interface QueueMetrics {
  readonly recordSent?: (queue: QueueName, count: number) => void;
  readonly recordDelivery?: (delivery: DeliveryResult) => void;
  /** Called when this process returns the message of a worker that died to its queue. */
  readonly recordStalled?: (queue: QueueName) => void;
}
