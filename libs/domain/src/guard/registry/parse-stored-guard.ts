import type { JsonObject } from '@phaseline/basics';
import { DEFAULT_MIN_LABELLED, type GuardLimits } from '@phaseline/contracts';
import { z } from 'zod';
import { guardFileSchemas } from '../guard-file.js';
import { pointEffects, type HookPoint } from '../guard-vocabulary.js';
import { ruleActionSchema, ruleConditionSchema, scriptBodySchema, type Rule } from '../rule.js';
import type { StoredGuard } from './registry-events.js';

const { name, owner, description, points, workflows, onFailure, minLabelled, limits } = guardFileSchemas;

/** A guard as it is sent to be stored: the members of its file, as a draft, with the code of a script instead of the name of its file. */
const storedGuardRequestSchema = z
  .strictObject({
    ...{ name, owner, description, points, workflows, onFailure, minLabelled, limits },
    // Files and proposals may say it. Other stages are reached by backtests and promotions alone.
    stage: z.literal('draft', "a stored guard is added as a draft: leave out 'stage'").optional(),
    when: ruleConditionSchema.optional(),
    then: ruleActionSchema.optional(),
    code: scriptBodySchema.shape.code.optional(),
  })
  .superRefine(({ when, then, code, points: at }, context) => {
    const isRule = when !== undefined && then !== undefined && code === undefined;
    const isScript = when === undefined && then === undefined && code !== undefined;
    if (!isRule && !isScript)
      context.addIssue({ code: 'custom', message: "expected either 'when' and 'then', or 'code'" });
    if (then === undefined) return;
    for (const [index, point] of at.entries()) {
      const problem = findPointProblem(then, point);
      if (problem !== undefined) context.addIssue({ code: 'custom', path: ['points', index], message: problem });
    }
  });

/** Returns why the action of a rule has no effect at a hook point; `undefined` if it has one. */
export function findPointProblem(then: Rule['then'], point: HookPoint): string | undefined {
  if (point === 'PostToolUse' && 'amend' in then && Object.keys(then.amend).join() !== 'content')
    return "after a call, 'amend' replaces the text that the model reads: expected only 'content'";
  const action = (['deny', 'ask', 'amend', 'context'] as const).find((one) => one in then);
  const effects: readonly string[] = pointEffects[point];
  if (action === undefined || effects.includes(action)) return undefined;
  const allowed = effects.length === 0 ? 'only scripts can observe it' : `it allows ${effects.join(', ')}`;
  return `'${action}' has no effect at ${point}; ${allowed}`;
}

/** A guard that can be stored, without its version. */
export interface ParsedStoredGuard {
  readonly name: string;
  readonly owner: string;
  readonly description?: string;
  readonly definition: StoredGuard;
  readonly minLabelled: number;
  readonly limits?: GuardLimits;
}

/** Parses a guard that a person sent. Returns every problem with the path of its member. */
export function parseStoredGuard(
  sent: unknown,
): ParsedStoredGuard | { readonly problems: readonly { readonly path: string; readonly message: string }[] } {
  const parsed = storedGuardRequestSchema.safeParse(sent);
  if (!parsed.success)
    return {
      problems: parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
    };
  const { when, then, code, workflows: only, description: text, ...rest } = parsed.data;
  // What the schemas accepted is JSON; their types have no index signature.
  const body = (code === undefined ? { when, then } : { code }) as unknown as JsonObject;
  return {
    ...{ name: rest.name, owner: rest.owner },
    ...(text === undefined ? {} : { description: text }),
    definition: {
      kind: code === undefined ? 'rule' : 'script',
      points: rest.points,
      ...(only ? { workflows: only } : {}),
      onFailure: rest.onFailure,
      body,
    },
    minLabelled: rest.minLabelled ?? DEFAULT_MIN_LABELLED,
    ...(rest.limits ? { limits: rest.limits } : {}),
  };
}
