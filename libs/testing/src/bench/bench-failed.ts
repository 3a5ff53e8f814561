/** Thrown when a bench did not do the work that its figures would describe. No figure is printed then. */
export class BenchFailed extends Error {
  override readonly name = 'BenchFailed';
}

/** Throws `BenchFailed` unless what was counted is what the bench set out to do. */
export function requireCount(what: string, counted: number, expected: number): void {
  if (counted !== expected) throw new BenchFailed(`${what}: ${counted} counted, ${expected} expected`);
}
