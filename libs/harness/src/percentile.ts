/** The smallest of the values that the share `p` (0 to 1) of them does not exceed, in whatever order they are; NaN if there are none. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? NaN;
}
