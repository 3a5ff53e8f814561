/** A clock and timers for running tools. A port, so that a simulation can use virtual time. */
export interface Timers {
  /** Returns milliseconds since an arbitrary fixed point. */
  now(): number;
  /** Calls `then` after `ms` milliseconds, unless the returned function is called first. */
  schedule(ms: number, then: () => void): () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  schedule: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits `ms` milliseconds. Rejects with the signal's reason as soon as the signal fires. */
export function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = timers.schedule(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
