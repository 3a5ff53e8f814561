import { CypherError } from './cypher-error.js';

export interface Token {
  /** `word` is a name or keyword as written; `quoted` a name in backticks, which is never a keyword. */
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'sign' | 'end';
  readonly text: string;
  /** Character offset in the query. */
  readonly at: number;
}

const TOKEN_PATTERNS: readonly [Token['kind'] | 'blank', RegExp][] = [
  ['blank', /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y],
  ['number', /0x[0-9a-fA-F]+|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['quoted', /`(?:[^`]|``)+`/y],
  ['string', /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"/y],
  ['parameter', /\$(?:[\p{L}_][\p{L}\p{N}_]*|`(?:[^`]|``)+`)/uy],
  ['sign', /<>|<=|>=|=~|\+=|\.\.|[()[\]{}<>=.,:;|+\-*/%^]/y],
];

/** Splits a query into tokens. Strings and names are unquoted. The last token has the kind `end`. */
export function tokenize(query: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    const start = at;
    for (const [kind, pattern] of TOKEN_PATTERNS) {
      pattern.lastIndex = at;
      const [text] = pattern.exec(query) ?? [];
      if (text === undefined) continue;
      if (kind !== 'blank') tokens.push({ kind, text: decodeToken(kind, text), at });
      at += text.length;
      break;
    }
    if (at === start)
      throw new CypherError(
        'syntax',
        `Unexpected '${query.charAt(at)}' at ${formatPosition(query, at)}. Use parameters for values.`,
      );
  }
  return [...tokens, { kind: 'end', text: 'the end of the query', at: query.length }];
}

/** Formats an offset as `line 2, column 5`. */
export function formatPosition(query: string, at: number): string {
  const before = query.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function decodeToken(kind: Token['kind'], text: string): string {
  if (kind === 'string')
    return text
      .slice(1, -1)
      .replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_all, hex: string | undefined, sign: string | undefined) =>
        hex === undefined ? (ESCAPES[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
      );
  if (kind === 'parameter') return text.startsWith('$`') ? unquote(text.slice(1)) : text.slice(1);
  return kind === 'quoted' ? unquote(text) : text;
}

function unquote(text: string): string {
  return text.slice(1, -1).replaceAll('``', '`');
}
