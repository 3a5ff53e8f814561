import { findTerms, type FoundTerm, type SearchedVocabulary } from './find-terms.js';

/** Confidence from which a text counts as relevant, and from which it may be. */
const RELEVANT = 0.7;
const POSSIBLE = 0.35;

export interface Relevance {
  readonly vocabulary: string;
  readonly relevance: 'relevant' | 'possible';
  /** How strongly the terms show it, above 0 and at most 1. Each further term adds to it. */
  readonly confidence: number;
  /** Topics of the terms, the one with the highest confidence first. */
  readonly topics: readonly string[];
  /** The terms that the assessment rests on; never empty. */
  readonly terms: readonly FoundTerm[];
}

/** Assesses a text with each vocabulary. A vocabulary without a term in the text says nothing about it, so it is left out. */
export function assessRelevance(text: string, vocabularies: readonly SearchedVocabulary[]): readonly Relevance[] {
  return vocabularies.flatMap((searched): Relevance[] => {
    const terms = findTerms(text, searched);
    const confidence = combineWeights(terms);
    if (terms.length === 0 || confidence < POSSIBLE) return [];
    const topics = [...new Set(terms.map(({ topic }) => topic))].map((topic) => ({
      topic,
      confidence: combineWeights(terms.filter((term) => term.topic === topic)),
    }));
    return [
      {
        vocabulary: searched.vocabulary.name,
        relevance: confidence >= RELEVANT ? 'relevant' : 'possible',
        confidence,
        topics: topics.sort((a, b) => b.confidence - a.confidence).map(({ topic }) => topic),
        terms,
      },
    ];
  });
}

/** Probability that at least one term is right, if each is right with its weight. Terms at the same place count once. */
function combineWeights(terms: readonly FoundTerm[]): number {
  const byPlace = new Map<number, number>();
  for (const { from, weight } of terms) byPlace.set(from, Math.max(byPlace.get(from) ?? 0, weight));
  const wrong = [...byPlace.values()].reduce((product, weight) => product * (1 - weight), 1);
  return Math.round((1 - wrong) * 100) / 100;
}
