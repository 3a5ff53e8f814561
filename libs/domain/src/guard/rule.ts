import {
  type Check,
  checksSchema,
  type Matcher,
  type Matchers,
  matcherSchema,
  matchersSchema,
  patternSchema,
} from '@phaseline/checks';
import { z } from 'zod';
import { phaseKinds, type PhaseKind } from '../workflow/workflow.js';
import { hookPoints, type HookPoint } from './guard-vocabulary.js';
import { templateSchema } from './template.js';

const numberMatcherSchema = z.union([
  z.number(),
  z
    .strictObject({ equals: z.number(), lt: z.number(), gt: z.number() })
    .partial()
    .refine((given) => Object.keys(given).length > 0, 'expected at least one of: equals, lt, gt'),
]);

/** A file that the rule asks about. A file that does not exist fulfils only `exists: false`. */
export const ruleFileSchema = z.strictObject({
  path: templateSchema.describe('Path of the file, such as {args.path}'),
  exists: z.boolean().optional().describe('Whether there is such a file; true by default'),
  lines: numberMatcherSchema.optional().describe('Number of its lines'),
  bytes: numberMatcherSchema.optional().describe('Its size in bytes'),
  matches: patternSchema.optional().describe('RE2 pattern that occurs in its text'),
});
export type RuleFile = z.infer<typeof ruleFileSchema>;

const toolPattern = z.string().min(1).max(200);

function needsRun(check: Check): boolean {
  if ('verifier' in check || 'proof' in check || 'judge' in check) return true;
  if ('all' in check) return check.all.some(needsRun);
  if ('any' in check) return check.any.some(needsRun);
  return 'not' in check && needsRun(check.not);
}

/** The conditions of a rule without those that contain others. All of them must hold. */
export const ruleConditionSchemas = {
  point: z
    .union([z.enum(hookPoints), z.array(z.enum(hookPoints)).min(1)])
    .optional()
    .describe('Hook point, or several, for a rule that is asked at more than one'),
  agent: matcherSchema.optional().describe('Name of the agent of the phase'),
  state: matcherSchema.optional().describe('State of the workflow'),
  phaseKind: z.enum(phaseKinds).optional().describe('Kind of the phase'),
  tool: z
    .union([toolPattern, z.array(toolPattern).min(1).max(50)])
    .optional()
    .describe('Name of the tool, or names; * matches a part of a name'),
  args: matchersSchema.optional().describe('Arguments of the call; paths are compared in their normal form'),
  result: matchersSchema.optional().describe('Structured result of the call, after it ended'),
  todo: matcherSchema.optional().describe('Text of the todo that is claimed, at TaskCompleted'),
  prompt: matcherSchema.optional().describe('Text of the task or of the message of a person, at UserPromptSubmit'),
  outcome: matcherSchema.optional().describe('Outcome that the phase claims, at Stop and SubagentStop'),
  file: ruleFileSchema.optional().describe('A file of the workspace'),
  checks: checksSchema
    .refine((checks) => !checks.some(needsRun), { error: 'a rule is pure: it cannot use verifiers and judges' })
    .optional()
    .describe('Checks over the phase (see checks), all of which hold'),
};

export interface RuleCondition {
  readonly point?: HookPoint | readonly HookPoint[] | undefined;
  readonly agent?: Matcher | undefined;
  readonly state?: Matcher | undefined;
  readonly phaseKind?: PhaseKind | undefined;
  readonly tool?: string | readonly string[] | undefined;
  readonly args?: Matchers | undefined;
  readonly result?: Matchers | undefined;
  readonly todo?: Matcher | undefined;
  readonly prompt?: Matcher | undefined;
  readonly outcome?: Matcher | undefined;
  readonly file?: RuleFile | undefined;
  readonly checks?: readonly Check[] | undefined;
  readonly all?: readonly RuleCondition[] | undefined;
  readonly any?: readonly RuleCondition[] | undefined;
  readonly not?: RuleCondition | undefined;
}

/** Depth to which `all`, `any` and `not` may be nested. */
const MAX_DEPTH = 4;

export const ruleConditionSchema: z.ZodType<RuleCondition> = buildConditionSchema(MAX_DEPTH);

function buildConditionSchema(depth: number): z.ZodType<RuleCondition> {
  if (depth === 1) return z.strictObject(ruleConditionSchemas);
  const inner = buildConditionSchema(depth - 1);
  return z.strictObject({
    ...ruleConditionSchemas,
    all: z.array(inner).min(1).max(50).optional(),
    any: z.array(inner).min(1).max(50).optional(),
    not: inner.optional(),
  });
}

const suggest = templateSchema.optional().describe('What the model can do instead');
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** What a rule does when its conditions hold: exactly one of these. */
export const ruleActionSchemas = {
  deny: z.strictObject({ deny: templateSchema.describe('Reason'), suggest }),
  ask: z.strictObject({ ask: templateSchema.describe('Reason, for the person who is asked'), suggest }),
  amend: z.strictObject({
    amend: z
      .record(z.string().min(1).max(200), z.union([templateSchema, scalar]))
      .refine((given) => Object.keys(given).length > 0, 'expected at least one argument')
      .describe('New values of arguments, by name; others stay as they are'),
    reason: templateSchema.describe('Reason, for the model'),
  }),
  context: z.strictObject({ context: templateSchema.describe('Text that the model reads in addition') }),
};

export const ruleActionSchema = z.union([
  ruleActionSchemas.deny,
  ruleActionSchemas.ask,
  ruleActionSchemas.amend,
  ruleActionSchemas.context,
]);

/** Body of a guard of the kind `rule`. */
export const ruleSchema = z.strictObject({ when: ruleConditionSchema, then: ruleActionSchema });
export type Rule = z.infer<typeof ruleSchema>;

/** Body of a guard of the kind `script`: an expression that is a function `({ event, state }) => decision`. */
export const scriptBodySchema = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(64 * 1024),
});
