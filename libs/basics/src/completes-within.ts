import { setTimeout as sleep } from 'node:timers/promises';

/** Whether `work` completes within `ms` milliseconds. Leaves no timer behind. Rejects if `work` rejects in time; a later rejection is ignored. */
export async function completesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const timeout = sleep(Math.max(0, ms), false, { signal: timer.signal }).catch(() => false);
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    timer.abort();
  }
}
