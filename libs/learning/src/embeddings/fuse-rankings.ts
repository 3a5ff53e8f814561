/**
 * Dampens the difference between the first places. With 60, which is usual where documents are many and hits few, the 30th place in both rankings counts
 * more than the first in one; nearly every learning trace has some place in both, because it shares some word with the question.
 */
const DAMPING = 3;

/** Weight of a place by similarity; that of a place by words is 1. The first by similarity alone comes third, so that it is read. */
const SIMILARITY_WEIGHT = 0.75;

/** Fuses a ranking by words and one by similarity into one, by the weighted sum of reciprocal places; of two equal ids, that of the words comes first. */
export function fuseRankings<Id extends string>(byWords: readonly Id[], bySimilarity: readonly Id[]): readonly Id[] {
  const scores = new Map<Id, number>();
  const add = (ranking: readonly Id[], weight: number): void => {
    for (const [index, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (DAMPING + index + 1));
  };
  add(byWords, 1);
  add(bySimilarity, SIMILARITY_WEIGHT);
  return [...scores].sort(([, left], [, right]) => right - left).map(([id]) => id);
}
