import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

/** Characters counted exactly. Longer texts are extrapolated from their beginning: exact counts matter only near the limit. */
const MAX_EXACT_CHARACTERS = 200_000;
/**
 * The encoder's time grows with the square of the length of a word, and a text without spaces is one word: 200,000 letters
 * would block the process for minutes. So long runs are counted in pieces, which adds at most one token per piece.
 */
const LONG_RUN = /\S{256}|\s{256}/gu;

/** Treats special tokens of the encoding, such as `<|endoftext|>`, as text. By default the encoder throws. */
const SPECIAL_TOKENS_AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Counts the tokens of a text as one encoding does. */
export type Encode = (text: string, options: typeof SPECIAL_TOKENS_AS_TEXT) => number;

const requireModule = createRequire(import.meta.url);
let o200k: typeof import('gpt-tokenizer/encoding/o200k_base') | undefined;

/** Encodes in o200k. Its tables take 50 MB and a third of a second, so they are loaded when first used: most services never count. */
function encodedLength(text: string, options: typeof SPECIAL_TOKENS_AS_TEXT): number {
  o200k ??= requireModule('gpt-tokenizer/encoding/o200k_base') as NonNullable<typeof o200k>;
  return o200k.countTokens(text, options);
}

/** Cache of counts. Counting is the most expensive part of building a prompt, and most texts stay the same from step to step. */
const cachedCounts = new LRUCache<string, number>({
  max: 4_096,
  maxSize: 16_000_000,
  sizeCalculation: (_tokens, text) => text.length,
});

/** Counts the tokens of a text in the o200k encoding. Other models differ by a few percent, which the reservation of a call covers. */
export function countTokens(text: string): number {
  if (text.length < 64) return encodedLength(text, SPECIAL_TOKENS_AS_TEXT);
  const cached = cachedCounts.get(text);
  if (cached !== undefined) return cached;
  const tokens =
    text.length <= MAX_EXACT_CHARACTERS
      ? countInPieces(text)
      : Math.ceil((countInPieces(text.slice(0, MAX_EXACT_CHARACTERS)) / MAX_EXACT_CHARACTERS) * text.length);
  cachedCounts.set(text, tokens);
  return tokens;
}

/** Counts the tokens of a text exactly, by our encoding or another one. */
export function countInPieces(text: string, encode: Encode = encodedLength): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    const to = index + run.length;
    tokens += encode(text.slice(from, to), SPECIAL_TOKENS_AS_TEXT);
    from = to;
  }
  const rest = from === 0 ? text : text.slice(from);
  return tokens + (rest === '' ? 0 : encode(rest, SPECIAL_TOKENS_AS_TEXT));
}
