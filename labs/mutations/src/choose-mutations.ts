import { randomFrom } from '@phaseline/harness';

/** Chooses `count` items by seed, in their original order; the same seed chooses the same ones. */
export function chooseSample<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const random = randomFrom(seed);
  const remaining = items.map((_, index) => index);
  const chosen: number[] = [];
  while (chosen.length < count && remaining.length > 0)
    chosen.push(...remaining.splice(Math.floor(random() * remaining.length), 1));
  return chosen.sort((a, b) => a - b).map((index) => items[index]!);
}

/** Divides a list into parts of almost equal length, and returns one of them; `part` counts from 1. */
export function choosePart<Item>(items: readonly Item[], part: number, parts: number): readonly Item[] {
  // Contiguous parts, because neighbours in the list share their specs, which run once before the mutations.
  const from = Math.floor((items.length * (part - 1)) / parts);
  return items.slice(from, Math.floor((items.length * part) / parts));
}
