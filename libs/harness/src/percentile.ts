/** Value that the share `p` (0 to 1) of the sorted values does not exceed; NaN if there are none. */
export function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? NaN;
}
