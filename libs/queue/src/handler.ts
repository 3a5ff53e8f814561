import type { QueueName } from './catalogue.js';

/** What a handler is told about the delivery besides the payload. */
export interface DeliveryContext {
  readonly messageId: string;
  /** 1 for the first run; rises with failed runs only, not with postponed or interrupted ones. */
  readonly attempt: number;
  /**
   * True when an earlier delivery of this very message is known to be over without having ended it: its worker vanished, was
   * shut down, or the handler threw. Whoever held the work then holds it no more. Postponing with `retryAt` does not set it.
   */
  readonly stalledBefore: boolean;
  /** How many workers vanished while they had this message: what takes its process down every time is known by it. */
  readonly vanished: number;
  /** When the message was sent, in epoch milliseconds by the sender's clock. */
  readonly enqueuedAt: number;
  /**
   * Fires when the handler should stop: reason QueueClosing when the process shuts down, LockLost when another worker may have
   * the message. In both cases the message is delivered again; what the handler throws afterwards costs no attempt.
   */
  readonly signal: AbortSignal;
}

/** Ends the delivery without ending the message: it comes again at `retryAt` (epoch milliseconds). Costs no attempt. */
export interface Postponed {
  readonly retryAt: number;
}

/**
 * Does the work of one message. Delivery is at least once: do it so that a second time changes nothing.
 * Returning ends the message. Throwing has it delivered again after a wait, or makes it a dead letter when the error has
 * `retryable: false` or the attempts are used up.
 */
export type Handler<Payload> = (payload: Payload, context: DeliveryContext) => Promise<void | Postponed>;

/** How a delivery ended; `released`, `lost` and `abandoned` messages are delivered again without costing an attempt. */
export type Outcome = 'completed' | 'postponed' | 'retried' | 'dead' | 'released' | 'lost' | 'abandoned';

export interface Settled {
  readonly queue: QueueName;
  readonly outcome: Outcome;
  /** From the sender's clock to ours; only for a first delivery, later ones waited on purpose. */
  readonly waitMs: number | undefined;
  readonly runMs: number;
}

/** Hooks for counters and histograms. They are called synchronously; what they throw goes to `onError`. */
export interface QueueMetrics {
  readonly sent?: (queue: QueueName, count: number) => void;
  readonly settled?: (delivery: Settled) => void;
  /** This process found a message whose worker vanished and put it back in line. */
  readonly stalled?: (queue: QueueName) => void;
}
