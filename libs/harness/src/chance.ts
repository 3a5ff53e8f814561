import { randomFrom } from '@phaseline/testing';

/** Random draws determined by a name. The draws of one name do not affect those of another. */
export interface Roll {
  /** Random number, 0 ≤ x < 1. */
  fraction(): number;
  /** Whole number from `low` to `high`, inclusive. */
  between(low: number, high: number): number;
  /** Returns true with the given probability. */
  happens(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Source of all randomness of a run. The seed and the name of a draw determine it, so removing one fault leaves all other draws
 * unchanged. That makes it possible to shrink schedules.
 */
export class Chance {
  constructor(private readonly seed: number) {}

  rollFor(name: string): Roll {
    return new Mulberry(hash(name, this.seed));
  }
}

class Mulberry implements Roll {
  readonly fraction: () => number;

  constructor(seed: number) {
    this.fraction = randomFrom(seed);
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('cannot pick from an empty list');
    return items[Math.floor(this.fraction() * items.length)]!;
  }
}

/** FNV-1a with a mixing step. Names are short and their hashes only need to be spread well. */
function hash(text: string, seed: number): number {
  let bits = (0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)) | 0;
  for (let at = 0; at < text.length; at += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) | 0;
}
