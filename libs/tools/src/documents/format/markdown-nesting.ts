import { MAX_DEPTH } from './limits.js';

/** Markers that open a level of nesting, one line's worth of them: `>`, and `-`, `*`, `+` or a number before a space. */
const DEEP_LINE = new RegExp(
  `^(?:[ \\t]{0,8}(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MAX_DEPTH},}|^(?: {2}|\\t){${MAX_DEPTH},}(?:[*+-]|\\d{1,9}[.)])\\s`,
  'm',
);
/** Brackets, or signs of emphasis, one close behind the other: so many are no prose, and the parser takes quadratic time over them. */
const MAX_BRACKETS = MAX_DEPTH * 5;
const MAX_SIGNS = MAX_DEPTH * 30;
/** Characters that may stand between two of them. */
const GAP = 4;

/**
 * Whether a Markdown source nests deeper than any reader follows. One pass: a pattern that tries all ways to divide a line
 * of sixty underscores would never come back.
 */
export function isTooDeep(source: string): boolean {
  return (
    DEEP_LINE.test(source) ||
    hasRun(source, /[[<]/g, /[\]>\s]/, MAX_BRACKETS) ||
    hasRun(source, /[*_]/g, /\n/, MAX_SIGNS)
  );
}

function hasRun(source: string, sign: RegExp, ends: RegExp, limit: number): boolean {
  let run = 0;
  let last = -Infinity;
  for (const { index } of source.matchAll(sign)) {
    const near = index - last - 1 <= GAP && !ends.test(source.slice(last + 1, index).trimEnd());
    run = near ? run + 1 : 1;
    if (run >= limit) return true;
    last = index;
  }
  return false;
}
