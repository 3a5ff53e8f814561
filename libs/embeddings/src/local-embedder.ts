import { yieldOnce } from '@phaseline/basics';
import { toUnitVector, type Embedder } from './embedder.js';

/** Large enough that features rarely collide, and a quarter of the size of a model's vectors. */
const DIMENSIONS = 512;
/** Texts embedded before yielding to the event loop, about 10 ms. */
const TEXTS_PER_TURN = 32;

/**
 * Computes vectors from words and their letters by hashing, without a model and without a server. Texts are similar if
 * they share words, inflections, parts of compounds or misspellings. It does not recognise synonyms, translations or
 * meaning: "car" and "automobile" have nothing in common.
 */
export class LocalEmbedder implements Embedder {
  /** The version number increases whenever the same text would give a different vector. */
  readonly space = `local-1-${DIMENSIONS}`;
  readonly note = 'Scores compare words and parts of words, not meaning. If nothing fits, try other words.';

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const [i, text] of texts.entries()) {
      if (i % TEXTS_PER_TURN === TEXTS_PER_TURN - 1) {
        await yieldOnce();
        signal.throwIfAborted();
      }
      vectors.push(computeVector(text));
    }
    return vectors;
  }
}

function computeVector(text: string): Float32Array {
  const counts = new Map<string, number>();
  const weights = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
    weights.set(feature, weight);
  };
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu);
  for (const word of words ?? []) {
    const weight = computeWeight(word);
    add(`=${word}`, weight);
    if (word.length < 4) continue;
    // The start of a word approximates its stem.
    add(`^${word.slice(0, Math.max(4, Math.ceil(word.length * 0.7)))}`, weight * 0.7);
    const framed = `<${word}>`;
    for (let i = 0; i + 4 <= framed.length; i += 1)
      add(framed.slice(i, i + 4), (weight * 0.8) / Math.sqrt(word.length));
  }
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, count] of counts) {
    const hash = computeHash(feature);
    // Random signs make colliding features cancel out instead of adding up.
    const sign = hash & 0x8000_0000 ? -1 : 1;
    const at = (hash & 0x7fff_ffff) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + sign * (weights.get(feature) ?? 1) * (1 + Math.log(count));
  }
  return toUnitVector(vector);
}

/** Approximates how rare a word is: stop words carry little information, and long words are rarer than short ones. */
function computeWeight(word: string): number {
  if (STOP_WORDS.has(word)) return 0.1;
  return Math.min(2, 0.6 + 0.15 * word.length);
}

/** FNV-1a with a final mixing step, because its lowest bits alone are too regular for a modulus. */
function computeHash(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85eb_ca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can could do does for from had has have how i if in into is it its may me my no not of on or our
   should so such than that the their them then there these they this those to up was we were what when where which who why will with would you your
   aber als am an auch auf aus bei das dass dem den der des die dies doch du ein eine einem einen einer eines er es für hat haben ich im in ist
   ja kann kein man mit nach nicht noch nur oder sich sie sind so um und uns vom von vor war was welche wenn wer wie wir wird wo zu zum zur über`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
