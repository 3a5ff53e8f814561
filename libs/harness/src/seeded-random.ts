/** Seeded random generator (mulberry32). */
export class SeededRandom {
  constructor(private state: number) {}

  /** Random number, 0 ≤ x < 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
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
