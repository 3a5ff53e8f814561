/**
 * An LRU cache with a maximum total weight. Use it only for immutable values: entries never expire.
 */
export class LruCache<Value> {
  private readonly kept = new Map<string, Value>();
  private total = 0;

  constructor(
    private readonly maxWeight: number,
    private readonly weigh: (value: Value) => number,
  ) {}

  get(name: string): Value | undefined {
    const value = this.kept.get(name);
    if (value === undefined) return undefined;
    this.kept.delete(name);
    this.kept.set(name, value);
    return value;
  }

  set(name: string, value: Value): void {
    if (this.kept.has(name)) return;
    this.kept.set(name, value);
    this.total += this.weigh(value);
    for (const [oldest, old] of this.kept) {
      if (this.total <= this.maxWeight) break;
      this.kept.delete(oldest);
      this.total -= this.weigh(old);
    }
  }
}
