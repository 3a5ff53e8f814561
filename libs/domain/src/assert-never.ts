/** Ends a `switch` over a union: does not compile while a case is missing, and stops a replay that meets an unknown one. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}
