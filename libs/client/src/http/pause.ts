import { computeJitteredBackoffMs, sleepUntilAborted } from '@phaseline/basics';

/** Waits for `ms` milliseconds. Throws the signal's reason if the signal is aborted first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleepUntilAborted(ms, signal);
  signal?.throwIfAborted();
}

/**
 * Milliseconds to wait before a retry, counted from 0: doubles from 200 to 5,000. Half of it is random, so that clients
 * do not retry at the same time.
 */
export function backoffMs(retry: number): number {
  return computeJitteredBackoffMs({ firstMs: 200, maxMs: 5_000 }, retry + 1);
}
