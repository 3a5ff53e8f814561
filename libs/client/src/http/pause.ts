/** Waits, unless the signal fires first: then it throws the signal's reason. */
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
const LONGEST_MS = 5_000;

/** The pause before a retry: doubles from 200 ms to 5 s, and half of it is random so that clients do not come in step. */
export function backoffMs(retry: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(retry, 20));
  return Math.round(full / 2 + (Math.random() * full) / 2);
}
