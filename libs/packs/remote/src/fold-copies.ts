import { normaliseWords } from './graph/similarity.js';

/** A result, and others that show the same source. */
export interface FoldedResult<Result> {
  readonly first: Result;
  readonly copies: readonly Result[];
}

/** Share of equal word sequences from which two texts are copies. */
const MIN_SHARED = 0.8;
/** Number of words per sequence. */
const SEQUENCE_WORDS = 3;
/** Texts with fewer words are copies only if they are equal; a few common words prove nothing. */
const MIN_WORDS = 8;

/** Joins results that show copies of one source: at the same place, or with nearly the same text. The order stays that of the first ones. */
export function foldCopies<Result>(
  results: readonly Result[],
  { place, text }: { readonly place: (result: Result) => string; readonly text: (result: Result) => string },
): readonly FoldedResult<Result>[] {
  const groups: { first: Result; copies: Result[]; at: string; sequences: ReadonlySet<string> }[] = [];
  for (const result of results) {
    const at = place(result);
    const sequences = listSequences(text(result));
    const group = groups.find((one) => one.at === at || areCopies(one.sequences, sequences));
    if (group) group.copies.push(result);
    else groups.push({ first: result, copies: [], at, sequences });
  }
  return groups.map(({ first, copies }) => ({ first, copies }));
}

function listSequences(text: string): ReadonlySet<string> {
  const words = normaliseWords(text).split(' ').filter(Boolean);
  if (words.length < MIN_WORDS) return new Set(words.length === 0 ? [] : [words.join(' ')]);
  return new Set(words.slice(SEQUENCE_WORDS - 1).map((_, i) => words.slice(i, i + SEQUENCE_WORDS).join(' ')));
}

function areCopies(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size === 0 || right.size === 0) return false;
  const shared = [...left].filter((one) => right.has(one)).length;
  return shared / (left.size + right.size - shared) >= MIN_SHARED;
}
