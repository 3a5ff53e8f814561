/** Exponential backoff: the wait between attempts doubles up to a maximum. */
export interface Backoff {
  /** Wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** Maximum wait, in milliseconds. */
  readonly maxMs: number;
}

/** Milliseconds to wait after `failures` failed attempts (1 or more). */
export function computeBackoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Same wait, but random within its upper half, so that callers that failed together do not retry together. Always an integer of at
 * least 1, as PostgreSQL requires.
 */
export function computeJitteredBackoffMs(
  backoff: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  return Math.max(1, Math.round(computeBackoffMs(backoff, failures) * (0.5 + random() / 2)));
}
