import { computeJitteredBackoffMs, sleepUntilAborted } from '@phaseline/basics';
import type { RetryNotice } from '../chat-model.js';
import { ModelError } from '../model-error.js';
import { MAX_TIMER_MS, type RetryPolicy } from '../profile/model-profile.js';

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** The previous failure of the same call, to continue its retries. */
  readonly previousFailure?: ModelError | undefined;
  /** Returns a number from 0 up to 1, which spreads the pauses of concurrent callers. */
  readonly random?: () => number;
  /** Waits for the delay; resolves early, without an error, if the signal is aborted. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Whether the call can be retried: it may succeed, attempts are left, and the policy allows the requested delay. */
export function canRetry(error: ModelError, policy: RetryPolicy): boolean {
  return error.retryable && error.attempts < policy.attempts && (error.retryAfterMs ?? 0) <= policy.maxRetryAfterMs;
}

/**
 * Repeats a call until it succeeds, fails permanently, may have been charged, or the attempts are used up. The pause is
 * what the server requests, or doubles with every attempt. Aborting ends a pause immediately.
 *
 * @throws {ModelError} the last failure, with the number of attempts. Other errors are thrown unchanged.
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, signal, onRetry, previousFailure, random = Math.random, sleep = sleepUntilAborted } = options;
  let lastFailure = previousFailure;
  for (;;) {
    const attempt = (lastFailure?.attempts ?? 0) + 1;
    if (lastFailure) {
      const delayMs = computeDelayMs(lastFailure, policy, random());
      onRetry?.({ attempt: lastFailure.attempts, delayMs, error: lastFailure });
      await sleep(delayMs, signal);
    }
    if (signal.aborted) {
      const message = 'the model call was aborted by its caller';
      throw new ModelError('aborted', message, { attempts: attempt, mayBeCharged: false });
    }
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      lastFailure = error.withAttempts(attempt);
      if (lastFailure.mayBeCharged || !canRetry(lastFailure, policy)) throw lastFailure;
    }
  }
}

function computeDelayMs({ attempts, retryAfterMs }: ModelError, policy: RetryPolicy, random: number): number {
  const backoff = { firstMs: policy.baseDelayMs, maxMs: policy.maxDelayMs };
  // Never earlier than the server requested, and spread so that callers do not retry at the same moment.
  const delayMs =
    retryAfterMs === undefined
      ? computeJitteredBackoffMs(backoff, attempts, () => random)
      : Math.round(retryAfterMs + (policy.baseDelayMs * random) / 2);
  return Math.min(delayMs, MAX_TIMER_MS);
}
