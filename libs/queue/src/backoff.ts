/** Doubling waits between attempts. */
export interface Backoff {
  /** Wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** No wait is longer than this. */
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after `failures` failed attempts (1 or more). Spread over the upper half of the doubled time, so that
 * messages that failed together do not come back together. Always an integer: PostgreSQL refuses any other.
 */
export function backoffDelay(
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(1, Math.round(full * (0.5 + random() / 2)));
}
