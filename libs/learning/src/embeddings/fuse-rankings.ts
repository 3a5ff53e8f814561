/** Dampens the difference between the first places, so that one ranking alone does not decide. The usual value of reciprocal rank fusion. */
const DAMPING = 60;

/** Fuses rankings of ids into one by the sum of their reciprocal ranks; of two equal ones, the one of the first ranking comes first. */
export function fuseRankings<Id extends string>(rankings: readonly (readonly Id[])[]): readonly Id[] {
  const scores = new Map<Id, number>();
  for (const ranking of rankings)
    for (const [index, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (DAMPING + index + 1));
  return [...scores].sort(([, left], [, right]) => right - left).map(([id]) => id);
}
