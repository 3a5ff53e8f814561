import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Characters of a text that are compared. */
const MAX_COMPARED = 10_000;
/** Distance of texts that have the same words and are not equal. */
const SAME_WORDS = 0.01;

/**
 * Distance of the arguments of two calls, from 0 (equal) to 1: the mean over all values that either has, by their place. A value that only one
 * has, or that is of another type, counts 1; texts count the share of words that they do not have in common, numbers their difference in
 * proportion to their size.
 */
export function computeArgumentDistance(left: JsonObject, right: JsonObject): number {
  const [ofLeft, ofRight] = [listValues(left), listValues(right)];
  const places = new Set([...ofLeft.keys(), ...ofRight.keys()]);
  let sum = 0;
  for (const place of places) sum += compareValues(ofLeft.get(place), ofRight.get(place));
  return places.size === 0 ? 0 : sum / places.size;
}

type Scalar = string | number | boolean | null;

/** The values of arguments by their place, such as `["filter","labels",0]`. An empty list or object has none. */
function listValues(args: JsonObject): ReadonlyMap<string, Scalar> {
  const values = new Map<string, Scalar>();
  const pending: (readonly [path: readonly (string | number)[], value: JsonValue])[] = [[[], args]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [path, value] = next;
    if (typeof value !== 'object' || value === null) values.set(JSON.stringify(path), value);
    else if (Array.isArray(value)) value.forEach((item, index) => pending.push([[...path, index], item]));
    else for (const [key, item] of Object.entries(value)) pending.push([[...path, key], item]);
  }
  return values;
}

function compareValues(left: Scalar | undefined, right: Scalar | undefined): number {
  if (left === right) return 0;
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (typeof left === 'number' && typeof right === 'number')
    return Math.min(1, Math.abs(left - right) / (Math.abs(left) + Math.abs(right)));
  return 1;
}

function compareTexts(left: string, right: string): number {
  const [ofLeft, ofRight] = [countWords(left), countWords(right)];
  let [common, all] = [0, 0];
  for (const [word, count] of ofLeft) common += 2 * Math.min(count, ofRight.get(word) ?? 0);
  for (const count of [...ofLeft.values(), ...ofRight.values()]) all += count;
  return all === 0 ? 1 : Math.max(SAME_WORDS, 1 - common / all);
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text
    .slice(0, MAX_COMPARED)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
