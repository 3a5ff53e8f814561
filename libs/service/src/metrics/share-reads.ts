/** Age in milliseconds up to which gauges report a value that was read for another gauge or an earlier scrape. */
const MAX_AGE_MS = 5_000;

/**
 * Lets several gauges share one read: calls while a read runs, and within `maxAgeMs` after it, return its result. A failed read is not
 * kept, so the next scrape reads again.
 */
export function shareReads<Value>(
  read: () => Promise<Value>,
  { maxAgeMs = MAX_AGE_MS, now = () => performance.now() }: { maxAgeMs?: number; now?: () => number } = {},
): () => Promise<Value> {
  let latest: { readonly value: Promise<Value>; endedAt: number } | undefined;
  return () => {
    if (latest && now() - latest.endedAt < maxAgeMs) return latest.value;
    const current = { value: read(), endedAt: Infinity };
    latest = current;
    current.value.then(
      () => (current.endedAt = now()),
      () => {
        if (latest === current) latest = undefined;
      },
    );
    return current.value;
  };
}
