/** Longest time in milliseconds that an inline tool holds the event loop, which it shares with heartbeats and all other phases. */
const SLICE_MS = 8;

/** Returns a function to call often during long work. It yields to the event loop whenever the time slice is used up. */
export function createYielder(): () => Promise<void> | undefined {
  let sliceStartedAt = performance.now();
  return () => {
    if (performance.now() - sliceStartedAt < SLICE_MS) return undefined;
    return yieldOnce().then(() => {
      sliceStartedAt = performance.now();
    });
  };
}

/** Yields to the event loop once. */
export function yieldOnce(): Promise<void> {
  // The global, not node:timers/promises: the client bundles this library for browsers, which have no such module.
  return new Promise((resolve) => setImmediate(resolve));
}
