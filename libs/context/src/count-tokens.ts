import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Very long texts are counted by a sample: exact counts only matter near the limit, and there the texts are short. */
const EXACT_UP_TO = 200_000;
/** Counting is the dearest part of building a prompt, and most of its texts stay the same from step to step. */
const KEPT = 4_096;
const known = new Map<string, number>();

/** Tokens of a text in the o200k encoding. Other models differ by some percent; the reserve of a call covers that. */
export function countTokens(text: string): number {
  if (text.length < 64) return count(text);
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const tokens =
    text.length <= EXACT_UP_TO
      ? count(text)
      : Math.ceil((count(text.slice(0, EXACT_UP_TO)) / EXACT_UP_TO) * text.length);
  if (known.size >= KEPT) known.delete(known.keys().next().value!);
  known.set(text, tokens);
  return tokens;
}
