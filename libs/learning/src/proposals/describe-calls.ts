import type { Matcher, Matchers } from '@phaseline/checks';
import { quote, quoteName } from './quote.js';

/** Maximum arguments of a call that are described. */
const MAX_ARGUMENTS = 4;

/** Describes the calls that match one of the alternatives, such as `write_file with a path that begins with "src/"`. */
export function describeCalls(tool: string, alternatives: readonly Matchers[]): string {
  const described = alternatives.map(describeMatchers);
  // One that says nothing about the arguments is about all calls.
  if (described.length === 0 || described.includes('')) return quoteName(tool);
  return `${quoteName(tool)} with ${described.join(', or with ')}`;
}

function describeMatchers(matchers: Matchers): string {
  return Object.entries(matchers)
    .flatMap(([name, matcher]) => describeMatcher(quoteName(name), matcher) ?? [])
    .slice(0, MAX_ARGUMENTS)
    .join(' and ');
}

/** Describes the matchers that `deriveMatchers` returns; undefined for one that only demands the argument. */
function describeMatcher(name: string, matcher: Matcher): string | undefined {
  if (typeof matcher !== 'object' || matcher === null || Array.isArray(matcher))
    return `${name} ${quoteValue(matcher)}`;
  const { equals, startsWith, matches } = matcher;
  if (equals !== undefined) return `${name} ${quoteValue(equals)}`;
  if (startsWith !== undefined) return `${name} that begins with ${quoteValue(startsWith)}`;
  return matches === undefined ? undefined : `${name} that matches ${quote(matches)}`;
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : quoteName(JSON.stringify(value));
}
