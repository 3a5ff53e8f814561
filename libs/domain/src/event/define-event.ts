import type { z } from 'zod';

/** A kind of fact: its name in the log, the version of its shape, and what it says. */
export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  /** Raised when the shape of `data` changes; older versions are brought up to it at read time. */
  readonly version: number;
  readonly summary: string;
  readonly data: Data;
}

export function defineEvent<Type extends string, Data extends z.ZodType>(
  type: Type,
  version: number,
  summary: string,
  data: Data,
): EventDefinition<Type, Data> {
  return { type, version, summary, data };
}

/** The event that a definition describes, as deciders return and folds take it. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data>
    ? { readonly type: Type; readonly data: z.output<Data> }
    : never;
