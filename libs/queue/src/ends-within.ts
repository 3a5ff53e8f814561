import { setTimeout as sleep } from 'node:timers/promises';

/** Whether `work` is over in `ms` milliseconds. Leaves no timer behind. Rejects when `work` rejects in time; later it may do as it likes. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  const late = sleep(Math.max(0, ms), false, { signal: stop.signal }).catch(() => false);
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
