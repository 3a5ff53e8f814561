import { z } from 'zod';

/**
 * How a fork runs. `live`: like any job. `live-model`: the model is called, and results of `remote` tools come from the
 * recording. `recorded`: answers and results come from the recording.
 */
export const forkModes = ['live', 'live-model', 'recorded'] as const;
export type ForkMode = (typeof forkModes)[number];

/**
 * What follows when a call of a fork needs a result that was never recorded. `error`: the call fails. `fail`: the job fails. `nearest`: the call
 * gets the recorded result of the call of the same tool with the nearest arguments. `run`: the tool runs; for tools without an effect only.
 */
export const unrecordedPolicies = ['error', 'fail', 'nearest', 'run'] as const;
export type UnrecordedPolicy = (typeof unrecordedPolicies)[number];

/** The name under which a fork sets the policy of all tools that it does not name. */
export const ANY_TOOL = '*';

/** Policies of a fork by the name of the tool; `*` is for all others, and `error` for those without one. */
export const unrecordedSchema = z
  .record(z.string().min(1).max(200), z.enum(unrecordedPolicies))
  .refine((given) => Object.keys(given).length <= 500, 'expected at most 500 tools');
export type Unrecorded = Readonly<z.infer<typeof unrecordedSchema>>;
