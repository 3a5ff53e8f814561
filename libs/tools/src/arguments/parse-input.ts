import type { JsonObject } from '@phaseline/basics';
import { ToolError, type ToolDeclaration } from '@phaseline/contracts';
import type { z } from 'zod';

/** Maximum number of problems with the arguments of one call that a refusal names. */
const MAX_NAMED_PROBLEMS = 5;

/** Returns the input of a tool, with its defaults. Throws ToolError `bad_arguments`, which says what does not fit. */
export function parseInput({ name, input }: ToolDeclaration, args: JsonObject): unknown {
  const parsed = input.safeParse(args);
  if (parsed.success) return parsed.data;
  throw new ToolError('bad_arguments', `The arguments of ${name} are invalid. ${describeMismatch(parsed.error)}`);
}

/** Returns sentences for the model that say which arguments do not fit, and why. */
export function describeMismatch({ issues }: z.ZodError): string {
  return issues
    .slice(0, MAX_NAMED_PROBLEMS)
    .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}.`)
    .join(' ');
}
