/** Cache that evicts the least recently used values once their total weight exceeds `maxWeight`. Entries never expire. */
export class LruCache<Value> {
  private readonly values = new Map<string, Value>();
  private totalWeight = 0;

  /** Without `weigh`, `maxWeight` is the number of entries. The weight of a stored value must not change. */
  constructor(
    private readonly maxWeight: number,
    private readonly weigh: (value: Value) => number = () => 1,
  ) {}

  get(key: string): Value | undefined {
    const value = this.values.get(key);
    if (value === undefined) return undefined;
    this.values.delete(key);
    this.values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.values.set(key, value);
    this.totalWeight += this.weigh(value);
    for (const oldest of this.values.keys()) {
      if (this.totalWeight <= this.maxWeight) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.values.get(key);
    if (value === undefined) return;
    this.values.delete(key);
    this.totalWeight -= this.weigh(value);
  }
}
