import { randomFrom } from '../chaos/random-from.js';

/** Chooses `count` items by seed, in their original order; the same seed chooses the same ones. */
export function sample<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const random = randomFrom(seed);
  const left = items.map((_, index) => index);
  const chosen: number[] = [];
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen.sort((a, b) => a - b).map((index) => items[index]!);
}

/** Divides a list into parts of almost equal length, and returns one of them; `part` counts from 1. */
export function partOf<Item>(items: readonly Item[], part: number, parts: number): readonly Item[] {
  // Not every third item: neighbours of the list share their specs, which run once before the mutations.
  const from = Math.floor((items.length * (part - 1)) / parts);
  return items.slice(from, Math.floor((items.length * part) / parts));
}
