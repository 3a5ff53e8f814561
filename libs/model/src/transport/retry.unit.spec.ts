import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RetryNotice } from '../chat-model.js';
import { ModelError, type ModelErrorDetails } from '../model-error.js';
import { retriesSchema } from '../profile/model-profile.js';
import { canRetry, withRetries } from './retry.js';

const policy = retriesSchema.parse({ attempts: 4, baseDelayMs: 100, maxDelayMs: 250, maxRetryAfterMs: 5_000 });

function failing(
  times: number,
  code: 'server_error' | 'bad_request' = 'server_error',
  details: ModelErrorDetails = {},
) {
  let calls = 0;
  return {
    calls: () => calls,
    call: async () => {
      calls++;
      if (calls <= times) throw new ModelError(code, 'it failed', { mayBeCharged: false, ...details });
      return 'done';
    },
  };
}

describe('withRetries', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function run(server: ReturnType<typeof failing>, random = 1, after?: ModelError) {
    const notices: RetryNotice[] = [];
    const outcome = withRetries(server.call, {
      policy,
      signal: new AbortController().signal,
      previousFailure: after,
      onRetry: (notice) => notices.push(notice),
      random: () => random,
    });
    const outcomeOrError = outcome.catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    return { outcome: await outcomeOrError, delays: notices.map((notice) => notice.delayMs), calls: server.calls() };
  }

  it('doubles the pauses up to the maximum', async () => {
    expect(await run(failing(3))).toEqual({ outcome: 'done', delays: [100, 200, 250], calls: 4 });
  });

  it('spreads each pause over its upper half', async () => {
    expect((await run(failing(3), 0)).delays).toEqual([50, 100, 125]);
  });

  it('stops after the last attempt and reports the number of attempts', async () => {
    const { outcome, calls } = await run(failing(99));
    expect(calls).toBe(4);
    expect(outcome).toMatchObject({
      code: 'server_error',
      attempts: 4,
      retryable: true,
      message: 'it failed (4 attempts)',
    });
  });

  it('does not retry a permanent failure', async () => {
    const { outcome, calls } = await run(failing(1, 'bad_request'));
    expect(calls).toBe(1);
    expect(outcome).toMatchObject({ code: 'bad_request', attempts: 1 });
  });

  it('throws a failure that may be charged, and continues from it with its pause and number', async () => {
    const first = await run(failing(1, 'server_error', { mayBeCharged: true }));
    expect(first).toMatchObject({ calls: 1, delays: [], outcome: { attempts: 1, mayBeCharged: true } });
    const lost = first.outcome as ModelError;
    expect(await run(failing(2), 1, lost)).toEqual({ outcome: 'done', delays: [100, 200, 250], calls: 3 });
    expect(await run(failing(9), 1, lost)).toMatchObject({ calls: 3, outcome: { attempts: 4 } });
  });

  it('allows a retry only while attempts are left and the requested delay is short enough', () => {
    const lost = (attempts: number, details: ModelErrorDetails = {}) =>
      canRetry(new ModelError('server_error', 'it failed', { attempts, ...details }), policy);
    expect([lost(3), lost(4), lost(1, { retryable: false }), lost(1, { retryAfterMs: 5_001 })]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('never retries earlier than the server requested', async () => {
    expect((await run(failing(1, 'server_error', { retryAfterMs: 3_000 }), 0)).delays).toEqual([3_000]);
    expect((await run(failing(1, 'server_error', { retryAfterMs: 3_000 }), 1)).delays).toEqual([3_050]);
  });

  it('does not wait if the server requests a longer delay than the policy allows', async () => {
    const { outcome, calls } = await run(failing(1, 'server_error', { retryAfterMs: 5_001 }));
    expect(calls).toBe(1);
    expect(outcome).toMatchObject({ retryable: true, retryAfterMs: 5_001 });
  });

  it('stops in the middle of a pause when the caller aborts', async () => {
    const caller = new AbortController();
    const server = failing(99);
    const outcome = withRetries(server.call, { policy, signal: caller.signal, random: () => 1 }).catch(
      (error: unknown) => error,
    );
    await vi.advanceTimersByTimeAsync(10);
    caller.abort();
    expect(await outcome).toMatchObject({ code: 'aborted', retryable: false });
    expect(server.calls()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('throws other errors unchanged', async () => {
    const mistake = new TypeError('a mistake in a callback');
    const outcome = withRetries(() => Promise.reject(mistake), { policy, signal: new AbortController().signal });
    await expect(outcome).rejects.toBe(mistake);
  });
});
