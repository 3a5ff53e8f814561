const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Ages that filters offer, in hours. */
export const ages: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/**
 * Returns the time before which everything is older than the age; undefined for no age, or for one that no filter offers. It is truncated to the
 * minute, so that the same filters are the same request for a while.
 */
export function computeSince(age: string, nowMs: number): string | undefined {
  const hours = ages[age];
  if (hours === undefined) return undefined;
  return new Date(Math.floor((nowMs - hours * HOUR_MS) / MINUTE_MS) * MINUTE_MS).toISOString();
}
