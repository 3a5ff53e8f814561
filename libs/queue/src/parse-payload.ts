import type { z } from 'zod';
import { clip, toWellFormed, type JsonValue } from '@phaseline/basics';
import { describeError } from './describe-error.js';

export type Parsed<Payload> = { readonly payload: Payload } | { readonly problem: string };

/** Number of issues that are listed. */
const MAX_ISSUES = 10;
/** Maximum length of one issue in characters. */
const MAX_ISSUE_LENGTH = 300;

/** Validates a payload against the schema of its queue, when sending and when receiving. `problem` names each wrong field and why. Never throws. */
export function parsePayload<Payload>(schema: z.ZodType<Payload>, data: unknown): Parsed<Payload> {
  try {
    const result = schema.safeParse(toWellFormed(data as JsonValue));
    return result.success ? { payload: result.data } : { problem: describeIssues(result.error.issues) };
  } catch (error) {
    return { problem: `the schema could not be applied: ${describeError(error)}` };
  }
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const named = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => clip(`${path.map(String).join('.') || 'payload'}: ${message}`, MAX_ISSUE_LENGTH));
  const more = issues.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
