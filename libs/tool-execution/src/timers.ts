/** Time as the run of a tool needs it. A port, so that a simulation can run it in virtual time. */
export interface Timers {
  /** Milliseconds from any fixed point. */
  now(): number;
  /** Runs `then` after so many milliseconds, unless the returned function is called before. */
  after(ms: number, then: () => void): () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits, and rejects with the signal's reason as soon as it fires. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
