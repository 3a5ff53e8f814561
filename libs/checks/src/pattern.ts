import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * Patterns in checks and rules come from authors, and in plans from the model. They are matched in time linear in the text (RE2), so
 * that no pattern can stop a worker. RE2 has no look-around and no back-references.
 */
const compiled = new Map<string, RE2JS>();
/** Number of compiled patterns that are kept: more than an agent has, and small enough for a process that serves many agents. */
const MAX_COMPILED = 1_000;

/** Maximum length of a pattern in characters. */
export const MAX_PATTERN_CHARACTERS = 1_000;

/** Returns why a pattern cannot be used; `undefined` if it can. */
export function findPatternProblem(pattern: string): string | undefined {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `${error.message}. Patterns have the syntax of RE2, without look-around and back-references`;
  }
}

/** Whether the pattern occurs in the text. `^` and `$` also match at the beginning and end of each line. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text).find();
}

/** Whether a path or name equals a glob: `*` and `?` within one folder, `**` across folders, `{a,b}` for alternatives. */
export function matchesGlob(glob: string, text: string): boolean {
  return compile(`\\A(?:${toPattern(glob)})\\z`)
    .matcher(text)
    .find();
}

/** Whether a text contains any character that has a meaning in a glob. */
export function isGlob(text: string): boolean {
  return /[*?{]/.test(text);
}

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = RE2JS.compile(pattern, RE2JS.MULTILINE);
  const [oldest] = compiled.keys();
  if (compiled.size >= MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  compiled.set(pattern, made);
  return made;
}

function toPattern(glob: string): string {
  let depth = 0;
  const parts = glob.match(/\*\*\/|\*\*|[^]/gu) ?? [];
  const pattern = parts.map((part) => {
    if (part === '**/') return '(?:[^/]*/)*';
    if (part === '**') return '(?s:.*)';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (part === '{') {
      depth += 1;
      return '(?:';
    }
    if (part === '}' && depth > 0) {
      depth -= 1;
      return ')';
    }
    if (part === ',' && depth > 0) return '|';
    return RE2JS.quote(part);
  });
  return pattern.join('') + ')'.repeat(depth);
}
