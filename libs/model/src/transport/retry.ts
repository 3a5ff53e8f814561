import type { RetryNotice } from '../chat-model.js';
import { ModelError } from '../model-error.js';
import { LONGEST_TIMER_MS, type RetryPolicy } from '../profile/model-profile.js';

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** The failed attempt of the same call that the first one follows. */
  readonly after?: ModelError | undefined;
  /** A number from 0 up to 1, to spread the pauses of many callers. */
  readonly random?: () => number;
  /** Ends after so long, or early and without an error when the signal is aborted. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Whether another attempt may follow this failure: it may succeed, the policy has attempts left, and patience enough. */
export function mayTryAgain(error: ModelError, policy: RetryPolicy): boolean {
  return error.retryable && error.attempts < policy.attempts && (error.retryAfterMs ?? 0) <= policy.maxRetryAfterMs;
}

/**
 * Makes a call until it succeeds, fails for good, may have been charged, or the attempts are used up. A pause is as long as
 * the server asks for, or doubles from attempt to attempt; aborting ends it at once.
 *
 * @throws {ModelError} the last failure, with the number of attempts; other errors as they come.
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, signal, onRetry, after, random = Math.random, sleep = sleepAwake } = options;
  let failed = after;
  for (;;) {
    const attempt = (failed?.attempts ?? 0) + 1;
    if (failed) {
      const delayMs = pause(failed, policy, random());
      onRetry?.({ attempt: failed.attempts, delayMs, error: failed });
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
      failed = error.after(attempt);
      if (failed.mayBeCharged || !mayTryAgain(failed, policy)) throw failed;
    }
  }
}

function pause({ attempts, retryAfterMs }: ModelError, policy: RetryPolicy, random: number): number {
  const step = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempts - 1));
  const spread = step * (0.5 + random / 2);
  // Never before the time that the server named, and not all callers at that very moment.
  const delayMs = Math.round(retryAfterMs === undefined ? spread : retryAfterMs + (policy.baseDelayMs * random) / 2);
  return Math.min(delayMs, LONGEST_TIMER_MS);
}

/** The caller looks at the signal next. */
function sleepAwake(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
