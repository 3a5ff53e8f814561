import { setImmediate as nextTick } from 'node:timers/promises';

/** Longest time in milliseconds that a `log` tool holds the event loop, which it shares with heartbeats and all other phases. */
const SLICE_MS = 8;

/** Returns a function to call often during long work. It yields to the event loop whenever the time slice is used up. */
export function createYielder(): () => Promise<void> | undefined {
  let sliceStartedAt = performance.now();
  return () => {
    if (performance.now() - sliceStartedAt < SLICE_MS) return undefined;
    return nextTick().then(() => {
      sliceStartedAt = performance.now();
    });
  };
}

/** Yields to the event loop once. */
export async function yieldOnce(): Promise<void> {
  await nextTick();
}
