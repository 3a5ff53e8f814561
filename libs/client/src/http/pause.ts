/** Waits for `ms` milliseconds. Throws the signal's reason if the signal is aborted first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

const FIRST_MS = 200;
const MAX_MS = 5_000;

/** Milliseconds to wait before a retry: doubles from 200 to 5,000. Half of it is random, so that clients do not retry in step. */
export function backoffMs(retry: number): number {
  const maxDelayMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(retry, 20));
  return Math.round(maxDelayMs / 2 + (Math.random() * maxDelayMs) / 2);
}
