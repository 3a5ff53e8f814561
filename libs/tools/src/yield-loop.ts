import { setImmediate as nextTick } from 'node:timers/promises';

/** A tool of the lane `log` shares its thread with heartbeats and all other phases, so it works for this long at a time. */
const SLICE_MS = 8;

/** Returns a function to call often during long work: it lets everything else of the process run whenever a slice of time is over. */
export function yielding(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextTick().then(() => {
      since = performance.now();
    });
  };
}

/** Lets everything else of the process run once. */
export async function takeTurn(): Promise<void> {
  await nextTick();
}
