import { runInNewContext } from 'node:vm';
import { RE2JS } from 're2js';

/** Maximum length of a matcher in characters. */
const MAX_MATCHER_CHARACTERS = 1_000;
/** Milliseconds for a pattern that only the engine of JavaScript can match. One that takes longer counts as a match. */
const PATTERN_TIMEOUT_MS = 1_000;

/** Names that are compared exactly, separated by `|` or `,`. */
const NAMES = /^[A-Za-z0-9_\- ,|]+$/;

/**
 * Patterns that mean the same in RE2 and in JavaScript: plain characters, classes, groups that are not named, repetitions and anchors.
 * They are matched in linear time. Others, such as look-aheads, need the engine of JavaScript.
 */
const COMMON =
  /^(?:[\w :;,@%&=!<>"'~`#/-]|[.*+?^$|()]|\\[.*+?^$|()[\]{}\\/dwDWbB-]|\[\^?[\w :;,@./-]+\]|\(\?:|\{\d{1,3}(?:,\d{0,3})?\})*$/;

type Matches = (value: string) => boolean;

/**
 * Compiles the matcher of a hook. `*`, an empty text and an absent matcher match everything; a list of names matches exactly; everything else
 * is a regular expression of JavaScript that may match a part of the value. Returns a problem instead if the expression is not valid.
 */
export function compileMatcher(matcher: string | undefined): Matches | { readonly problem: string } {
  if (matcher === undefined || matcher === '' || matcher === '*') return () => true;
  if (matcher.length > MAX_MATCHER_CHARACTERS)
    return { problem: `a matcher has at most ${MAX_MATCHER_CHARACTERS} characters` };
  if (NAMES.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map((name) => name.trim()));
    return (value) => names.has(value);
  }
  try {
    new RegExp(matcher);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  return compileLinear(matcher) ?? ((value) => matchesInTime(matcher, value));
}

function compileLinear(matcher: string): Matches | undefined {
  if (!COMMON.test(matcher)) return undefined;
  try {
    const pattern = RE2JS.compile(matcher);
    return (value) => pattern.matcher(value).find();
  } catch {
    return undefined;
  }
}

/** The hook runs rather than not: an expression that takes too long must not switch a guard off. */
function matchesInTime(pattern: string, value: string): boolean {
  try {
    return (
      runInNewContext('new RegExp(pattern).test(value)', { pattern, value }, { timeout: PATTERN_TIMEOUT_MS }) === true
    );
  } catch {
    return true;
  }
}
