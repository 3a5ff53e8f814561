import { computeBackoffMs } from '@phaseline/basics';
import type { Delivery, DeliveryOutcome } from './memory-queues.js';

interface DeliveryContext {
  readonly signal: AbortSignal;
  readonly vanished: number;
  readonly isRedelivered: boolean;
  readonly attempt: number;
  readonly enclosed?: unknown;
}

export type DeliveryHandler = (
  payload: Readonly<Record<string, unknown>>,
  context: DeliveryContext,
) => Promise<void | { readonly retryAt: number } | undefined>;

// The same values as in the catalogue of the real queues.
const ATTEMPTS = 20;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };

/** Runs the handler of one delivery and decides the outcome of the message by the rules of libs/queue. */
export async function handleDelivery(
  delivery: Delivery,
  handler: DeliveryHandler,
  signal: AbortSignal,
  isClosing: () => boolean,
  attempts = ATTEMPTS,
): Promise<{ deliveryOutcome: DeliveryOutcome; error?: unknown }> {
  try {
    const result = await handler(delivery.payload, {
      signal,
      vanished: delivery.vanished,
      isRedelivered: delivery.isRedelivered,
      attempt: delivery.attempt,
      enclosed: delivery.enclosed,
    });
    return { deliveryOutcome: result ? { outcome: 'postponed', retryAt: result.retryAt } : { outcome: 'completed' } };
  } catch (error) {
    if (isClosing()) return { deliveryOutcome: { outcome: 'released' } };
    if (isFinal(error) || delivery.attempt >= attempts) return { deliveryOutcome: { outcome: 'dead-lettered' }, error };
    const delayMs = computeBackoffMs(BACKOFF, delivery.attempt);
    return { deliveryOutcome: { outcome: 'retried', delayMs }, error };
  }
}

function isFinal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === false;
}
