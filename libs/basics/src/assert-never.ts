/** Ends a `switch` over a union. It does not compile while a case is missing, and throws for an unknown case at run time. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}
