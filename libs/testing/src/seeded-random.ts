import { randomFrom } from './random-from.js';

/** Seeded random generator (mulberry32). */
export class SeededRandom {
  /** Returns a random number, 0 ≤ x < 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  /** Whole number from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, (_, index) =>
      index === 12 ? '4' : index === 16 ? this.pick(['8', '9', 'a', 'b']) : Math.floor(this.next() * 16).toString(16),
    ).join('');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
