export interface TextPlace {
  /** Line number, from 1. */
  readonly line: number;
  /** Column number, from 1, in UTF-16 code units. */
  readonly column: number;
  /** The unexpected character; undefined at the end of the text. */
  readonly found: string | undefined;
}

const BLANK = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[\x7f-\x9f])*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Maximum length of a text to search. The result is for people, who do not write a megabyte by hand. */
const MAX_SEARCHED_CHARACTERS = 1_000_000;

/**
 * Finds where a text stops being JSON; undefined when it is JSON or too long. The engine's parser reports a position
 * only for some errors, in wording that changes between releases.
 */
export function locateJsonError(text: string): TextPlace | undefined {
  if (text.length > MAX_SEARCHED_CHARACTERS) return undefined;
  const offset = findFirstError(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, found: text[offset] };
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'more';

function findFirstError(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(BLANK, text, 0) ?? 0;
  while (at < text.length) {
    const character = text[at]!;
    const inside = open.at(-1);
    let next: number | undefined;
    if (expected === 'more' && inside === undefined) return at;
    if (expected === 'more' && character === ',') [expected, next] = [inside === '{' ? 'key' : 'value', at + 1];
    else if (expected === 'colon' && character === ':') [expected, next] = ['value', at + 1];
    else if ((expected === 'more' || expected === 'key or }') && inside === '{' && character === '}') next = close();
    else if ((expected === 'more' || expected === 'value or ]') && inside === '[' && character === ']') next = close();
    else if (expected === 'key' || expected === 'key or }') [next, expected] = [skip(STRING, text, at), 'colon'];
    else if (expected === 'value' || expected === 'value or ]') {
      if (character === '{' || character === '[') {
        open.push(character);
        [expected, next] = [character === '{' ? 'key or }' : 'value or ]', at + 1];
      } else [next, expected] = [skip(STRING, text, at) ?? skip(SCALAR, text, at), 'more'];
    }
    if (next === undefined) return at;
    at = skip(BLANK, text, next) ?? next;
  }
  return open.length === 0 && expected === 'more' ? undefined : text.length;

  function close(): number {
    open.pop();
    expected = 'more';
    return at + 1;
  }
}

/** Returns where a match of the pattern at this offset ends; undefined without a match. */
function skip(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
