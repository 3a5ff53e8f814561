import { DEFAULT_MIN_LABELLED, guardLimitsSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { guardStages, hookPoints } from './guard-vocabulary.js';
import { ruleActionSchema, ruleConditionSchema } from './rule.js';

/** Folder of the guards of an agent, next to its definition. */
export const GUARDS_DIRECTORY = 'guards';

/** Members of a guard's file `guards/<name>.yaml`. */
export const guardFileSchemas = {
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes')
    .describe('Name of the guard, as the name of its file'),
  owner: z.string().min(1).max(200).describe('Person or team that answers for the guard'),
  description: z.string().max(1_000).optional().describe('What the guard is for'),
  stage: z.enum(guardStages).default('production').describe('How far it is introduced; production by default'),
  points: z
    .array(z.enum(hookPoints))
    .min(1)
    .default(['PreToolUse'])
    .describe('Hook points at which it is asked; PreToolUse by default'),
  workflows: z
    .array(z.string().min(1).max(200))
    .min(1)
    .optional()
    .describe('Workflows whose phases it guards; all by default'),
  onFailure: z
    .enum(['deny', 'continue'])
    .default('deny')
    .describe('What happens if it cannot decide: deny by default, or continue as if it did not exist'),
  when: ruleConditionSchema.optional().describe('For a rule: the conditions, all of which hold'),
  then: ruleActionSchema.optional().describe('For a rule: what it does'),
  script: z
    .string()
    .regex(/^[A-Za-z0-9._-]+\.js$/, 'expected the name of a .js file beside this one')
    .optional()
    .describe('For a script: the file with its function'),
  minLabelled: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      `For a stored guard: compared calls with a known outcome that a backtest needs before it is promoted; ${DEFAULT_MIN_LABELLED} by default`,
    ),
  limits: z
    .strictObject({ ...guardLimitsSchema.shape, automatic: z.boolean().default(false) })
    .refine(({ maxOverrides, maxFailedJobs }) => maxOverrides !== undefined || maxFailedJobs !== undefined, {
      error: 'expected maxOverrides, maxFailedJobs or both',
    })
    .optional()
    .describe(
      'For a stored guard: maxOverrides and maxFailedJobs above which it should be taken out of production; automatic: true lets the system do it',
    ),
};

export const guardFileSchema = z.strictObject(guardFileSchemas);
export type GuardFile = z.infer<typeof guardFileSchema>;
