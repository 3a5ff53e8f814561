import type { Vocabulary } from '@phaseline/contracts';

/** A term of a vocabulary in a text. */
export interface FoundTerm {
  readonly topic: string;
  readonly term: string;
  readonly weight: number;
  /** The words of the text, exactly as written, and their range `[from, to)`. */
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

interface SearchedTerm extends Pick<FoundTerm, 'topic' | 'term' | 'weight'> {
  readonly pattern: RegExp;
}

/** A vocabulary that is ready to be searched for. */
export interface SearchedVocabulary {
  readonly vocabulary: Vocabulary;
  readonly terms: readonly SearchedTerm[];
}

export function prepareVocabulary(vocabulary: Vocabulary): SearchedVocabulary {
  const terms = vocabulary.topics.flatMap(({ id, terms: listed }) =>
    listed.map(({ term, weight }) => ({ topic: id, term, weight, pattern: buildPattern(term) })),
  );
  return { vocabulary, terms };
}

/** Finds the first place of each term in a text, in order of their places. */
export function findTerms(text: string, { terms }: SearchedVocabulary): readonly FoundTerm[] {
  const found = terms.flatMap(({ topic, term, weight, pattern }): FoundTerm[] => {
    const match = pattern.exec(text);
    if (!match) return [];
    const [words] = match;
    return [{ topic, term, weight, words, from: match.index, to: match.index + words.length }];
  });
  return found.sort((a, b) => a.from - b.from || b.to - a.to);
}

const LETTERS = String.raw`[\p{L}\p{N}]`;

/** A term matches whole words. `*` stands for further letters, so that inflections and compounds are found. */
function buildPattern(term: string): RegExp {
  const words = term.split(' ').map((word) => {
    const parts = word.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return parts.join(`${LETTERS}*`);
  });
  return new RegExp(`(?<!${LETTERS})${words.join(String.raw`\s+`)}(?!${LETTERS})`, 'iu');
}
