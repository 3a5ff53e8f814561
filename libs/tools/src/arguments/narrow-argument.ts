/** A value that a tool uses, and a note for the model if it is not the one that the model asked for. */
export interface NarrowedValue {
  readonly value: number;
  readonly note: readonly string[];
}

export interface Narrowing {
  /** Name of the argument. */
  readonly name: string;
  /** What the model asked for. */
  readonly asked: number | undefined;
  /** Limit of the agent. */
  readonly limit: number | undefined;
  /** The value if neither is given. */
  readonly fallback: number;
  /** Whether a stricter value is a lower or a higher one. */
  readonly stricter: 'lower' | 'higher';
}

/** Returns the value that a tool uses: the argument of the model if it is at least as strict as the limit of the agent, otherwise the limit. */
export function narrowArgument({ name, asked, limit, fallback, stricter }: Narrowing): NarrowedValue {
  if (limit === undefined || asked === undefined) return { value: asked ?? limit ?? fallback, note: [] };
  const value = stricter === 'lower' ? Math.min(asked, limit) : Math.max(asked, limit);
  if (value === asked) return { value, note: [] };
  const bound = stricter === 'lower' ? 'at most' : 'at least';
  return { value, note: [`Used ${name} ${limit} instead of ${asked}: this agent allows ${bound} ${limit}.`] };
}
