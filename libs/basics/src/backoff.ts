/** Exponential backoff: the wait between attempts doubles up to a maximum. */
export interface Backoff {
  /** Wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** Maximum wait, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after `failures` failed attempts (1 or more). Random within the upper half of the doubled time, so that
 * messages that failed together are not retried together. Always an integer, as PostgreSQL requires.
 */
export function computeBackoffMs(
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const maxDelayMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(1, Math.round(maxDelayMs * (0.5 + random() / 2)));
}
