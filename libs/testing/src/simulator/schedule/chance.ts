/** Draws that follow from a name alone. What one place draws does not move what another one draws. */
export interface Roll {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * All chance of a run. Every draw has a name, and the seed and the name decide it: taking one fault out of a schedule
 * leaves all other draws as they were, which is what makes schedules shrink.
 */
export class Chance {
  constructor(private readonly seed: number) {}

  at(name: string): Roll {
    return new Mulberry(hash(name, this.seed));
  }
}

class Mulberry implements Roll {
  constructor(private state: number) {}

  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[Math.floor(this.fraction() * items.length)]!;
  }
}

/** FNV-1a with a mixing step; strings of a run are short and their hashes only have to be spread well. */
function hash(text: string, seed: number): number {
  let word = (0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)) | 0;
  for (let at = 0; at < text.length; at += 1) {
    word = Math.imul(word ^ text.charCodeAt(at), 0x01000193);
  }
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) | 0;
}
