import { randomFrom } from '../chaos/random-from.js';

/** Chooses `count` items by seed, in their original order; the same seed chooses the same ones. */
export function sample<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const random = randomFrom(seed);
  const left = items.map((_, index) => index);
  const chosen: number[] = [];
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen.sort((a, b) => a - b).map((index) => items[index]!);
}
