import type { RetryNotice } from '../chat-model.js';
import { ModelError } from '../model-error.js';
import type { RetryPolicy } from '../profile/model-profile.js';

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** A number from 0 up to 1, to spread the pauses of many callers. */
  readonly random?: () => number;
}

/**
 * Makes a call until it succeeds, fails for good, or the attempts are used up. A pause is as long as the server asks
 * for, or doubles from attempt to attempt; aborting ends it at once.
 *
 * @throws {ModelError} the last failure, with the number of attempts; other errors as they come.
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, signal, onRetry, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    if (signal.aborted)
      throw new ModelError('aborted', 'the model call was aborted by its caller', { attempts: attempt });
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const tooPatient = (error.retryAfterMs ?? 0) > policy.maxRetryAfterMs;
      if (!error.retryable || tooPatient || attempt >= policy.attempts) throw error.after(attempt);
      const delayMs = pause(error, attempt, policy, random());
      onRetry?.({ attempt, delayMs, error });
      await sleep(delayMs, signal);
    }
  }
}

function pause(error: ModelError, attempt: number, policy: RetryPolicy, random: number): number {
  const step = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  const spread = step * (0.5 + random / 2);
  // Never before the time that the server named, and not all callers at that very moment.
  return Math.round(error.retryAfterMs === undefined ? spread : error.retryAfterMs + (policy.baseDelayMs * random) / 2);
}

/** Ends early, without an error, when the signal is aborted: the caller looks at it next. */
function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
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
