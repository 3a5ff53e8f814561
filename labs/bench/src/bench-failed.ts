/** Thrown when a benchmark did not do the work that it measures. No figures are printed then. */
export class BenchFailed extends Error {
  override readonly name = 'BenchFailed';
}

/** Throws `BenchFailed` unless the count equals the expected number. */
export function requireCount(what: string, counted: number, expected: number): void {
  if (counted !== expected) throw new BenchFailed(`${what}: ${counted} counted, ${expected} expected`);
}
