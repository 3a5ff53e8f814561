/** Tells the model which value a tool uses, and whether its argument may change it. */
export function describeValue(
  argument: string,
  limit: number | undefined,
  fallback: number,
  stricter: 'lower' | 'higher',
): string {
  if (limit === undefined) return `Default of ${argument}: ${fallback}.`;
  return `${argument} is ${limit} for this agent; an argument may only be ${stricter}.`;
}
