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
export async function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = timers.schedule(ms, resolve);
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}
