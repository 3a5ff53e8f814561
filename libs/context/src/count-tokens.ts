import { countTokens as encodedLength } from 'gpt-tokenizer/encoding/o200k_base';

/** Very long texts are counted by a sample: exact counts only matter near the limit, and there the texts are short. */
const EXACT_UP_TO = 200_000;
/**
 * The encoder takes time by the square of the length of a word, and a text without spaces is one word: 200,000 letters would
 * stop the process for minutes. So longer runs are counted piece by piece, which finds a token more for each at most.
 */
const LONG_RUN = /\S{256}|\s{256}/gu;

/** A text that only looks like one of the encoding's own marks (`<|endoftext|>`) is text; by default the encoder throws. */
const asText = { disallowedSpecial: new Set<string>() };
const count = (text: string): number => encodedLength(text, asText);

/** Counting is the dearest part of building a prompt, and most of its texts stay the same from step to step. */
const known = new Map<string, number>();
const MOST_KEPT = 4_096;
const MOST_CHARACTERS_KEPT = 16_000_000;
let charactersKept = 0;

/** Tokens of a text in the o200k encoding. Other models differ by some percent; the reserve of a call covers that. */
export function countTokens(text: string): number {
  if (text.length < 64) return count(text);
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const tokens =
    text.length <= EXACT_UP_TO
      ? countInPieces(text)
      : Math.ceil((countInPieces(text.slice(0, EXACT_UP_TO)) / EXACT_UP_TO) * text.length);
  keep(text, tokens);
  return tokens;
}

function countInPieces(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    const to = index + run.length;
    tokens += count(text.slice(from, to));
    from = to;
  }
  return tokens + (from < text.length ? count(from === 0 ? text : text.slice(from)) : 0);
}

function keep(text: string, tokens: number): void {
  known.set(text, tokens);
  charactersKept += text.length;
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KEPT && charactersKept <= MOST_CHARACTERS_KEPT) return;
    known.delete(oldest);
    charactersKept -= oldest.length;
  }
}
