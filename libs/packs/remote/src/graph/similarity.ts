import { yieldOnce } from '@phaseline/basics';

/** Features of a text: its words and letter triples, each with a weight. */
type Features = ReadonlyMap<string, number>;

/** Normalises a text to words in lower case without punctuation. A name such as GateClosed becomes two words. */
export function normaliseWords(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

function extractFeatures(text: string): Features {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, (features.get(feature) ?? 0) + weight);
  };
  for (const word of normaliseWords(text).split(' ')) {
    if (word === '') continue;
    // An equal word weighs more than its letters; triples find inflections and compounds.
    add(`=${word}`, 2);
    const framed = ` ${word} `;
    for (let i = 0; i + 3 <= framed.length; i += 1) add(framed.slice(i, i + 3), 1 / Math.sqrt(word.length));
  }
  return features;
}

/** Cosine similarity of two texts: 1 for the same words, 0 for nothing in common. It compares words, not meanings. */
function computeSimilarity(a: Features, b: Features): number {
  let dot = 0;
  for (const [feature, weight] of a) dot += weight * (b.get(feature) ?? 0);
  const length = (of: Features): number => Math.sqrt([...of.values()].reduce((sum, weight) => sum + weight ** 2, 0));
  return dot === 0 ? 0 : dot / (length(a) * length(b));
}

/** Texts compared before yielding to the event loop, about 20 ms. */
const TEXTS_PER_TURN = 500;

/** Finds the most similar candidates, best first, with a score of at least `threshold`. */
export async function findMostSimilar<T extends { readonly text: string }>(
  text: string,
  candidates: readonly T[],
  { limit, threshold }: { limit: number; threshold: number },
): Promise<{ readonly candidate: T; readonly score: number }[]> {
  const wanted = extractFeatures(text);
  const alike: { candidate: T; score: number }[] = [];
  for (const [i, candidate] of candidates.entries()) {
    if (i % TEXTS_PER_TURN === TEXTS_PER_TURN - 1) await yieldOnce();
    const score = computeSimilarity(wanted, extractFeatures(candidate.text));
    if (score >= threshold) alike.push({ candidate, score });
  }
  return alike.sort((a, b) => b.score - a.score).slice(0, limit);
}
