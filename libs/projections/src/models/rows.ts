/** Rows of one model while events are applied: those loaded, and those changed. */
export class Rows<Item> {
  readonly changed = new Map<string, Item>();
  private readonly loaded = new Map<string, Item>();

  /** Adds a row as stored in the table. */
  load(key: string, row: Item): void {
    this.loaded.set(key, row);
  }

  get(key: string): Item | undefined {
    return this.changed.get(key) ?? this.loaded.get(key);
  }

  set(key: string, row: Item): void {
    this.changed.set(key, row);
  }
}
