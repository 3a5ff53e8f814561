import type { z } from 'zod';

/** Definition of an event type: its name in the log, the version of its shape, a summary and the schema of its data. */
export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  /** Raised when the shape of `data` changes. Older versions are upcast when they are read. */
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

/** The event type of a definition, as returned by deciders and consumed by folds. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data>
    ? { readonly type: Type; readonly data: z.output<Data> }
    : never;
