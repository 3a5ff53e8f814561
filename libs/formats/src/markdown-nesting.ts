import { MAX_NESTING_DEPTH } from './limits.js';

/** A line that starts with too many nesting markers: `>`, and `-`, `*`, `+` or a number before a space. */
const DEEP_LINE = new RegExp(
  `^(?:[ \\t]{0,8}(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MAX_NESTING_DEPTH},}|^(?: {2}|\\t){${MAX_NESTING_DEPTH},}(?:[*+-]|\\d{1,9}[.)])\\s`,
  'm',
);
/** Maximum brackets, and maximum emphasis signs, in close succession. More are not prose, and the parser takes quadratic time on them. */
const MAX_BRACKETS = MAX_NESTING_DEPTH * 5;
const MAX_EMPHASIS_SIGNS = MAX_NESTING_DEPTH * 30;
/** Maximum characters between two signs of one run. */
const MAX_GAP_CHARACTERS = 4;

/**
 * Whether a Markdown source is nested too deeply. Runs in one pass, because a backtracking pattern would not terminate on a line of
 * sixty underscores.
 */
export function isTooDeeplyNested(source: string): boolean {
  return (
    DEEP_LINE.test(source) ||
    hasRun(source, /[[<]/g, /[\]>\s]/, MAX_BRACKETS) ||
    hasRun(source, /[*_]/g, /\n/, MAX_EMPHASIS_SIGNS)
  );
}

function hasRun(source: string, sign: RegExp, ends: RegExp, limit: number): boolean {
  let run = 0;
  let last = -Infinity;
  for (const { index } of source.matchAll(sign)) {
    const isNear = index - last - 1 <= MAX_GAP_CHARACTERS && !ends.test(source.slice(last + 1, index).trimEnd());
    run = isNear ? run + 1 : 1;
    if (run >= limit) return true;
    last = index;
  }
  return false;
}
