import type { z } from 'zod';
import { cleanJson, errorText } from './clean-text.js';

export type Parsed<Payload> = { readonly payload: Payload } | { readonly problem: string };

/** Issues that are named one by one, and characters of each. */
const MAX_ISSUES = 10;
const MAX_ISSUE = 300;

/** Reads a payload by the contract of its queue, on both sides. The problem names each field that is wrong and why. Never throws. */
export function parsePayload<Payload>(schema: z.ZodType<Payload>, data: unknown): Parsed<Payload> {
  try {
    const result = schema.safeParse(cleanJson(data));
    if (result.success) return { payload: result.data };
    return {
      problem: describeIssues(result.error.issues),
    };
  } catch (error) {
    return { problem: `the schema could not be applied: ${errorText(error)}` };
  }
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const named = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => cut(`${path.map(String).join('.') || 'payload'}: ${message}`));
  const more = issues.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function cut(text: string): string {
  return text.length > MAX_ISSUE ? `${text.slice(0, MAX_ISSUE)}…` : text;
}
