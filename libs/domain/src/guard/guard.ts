import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';
import { guardRefSchema } from './guard-events.js';
import { hookPoints } from './guard-vocabulary.js';

/** A guard as an agent and its phases keep it: everything that is needed to run it. */
const guardSchema = guardRefSchema.extend({
  /** Person or team that answers for the guard. */
  owner: z.string(),
  points: z.array(z.enum(hookPoints)).min(1),
  /** Workflows whose phases it guards; absent if it guards all. */
  workflows: z.array(z.string()).optional(),
  /** What happens when the guard cannot decide: the action is denied, or the guard is skipped. */
  onFailure: z.enum(['deny', 'continue']),
  /** Time limit of a guard that is not pure, in milliseconds. */
  timeoutMs: z.int().min(1).optional(),
  /** Whether a guard that is not pure may be asked again after a crash. */
  idempotent: z.boolean().optional(),
  /** The rule, the code of the script, the handler of the command, or the prompt of the judge. */
  body: jsonObjectSchema,
});
export type Guard = z.infer<typeof guardSchema>;

/** Parses a guard that another process sent. Throws a ZodError. */
export function parseGuard(value: unknown): Guard {
  return guardSchema.parse(value);
}

export const guardsSchema = z.array(guardSchema).max(500);
