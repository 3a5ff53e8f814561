/** Rows of one model while events are folded into them: what was there, and what has changed. */
export class Rows<Item> {
  readonly changed = new Map<string, Item>();
  private readonly loaded = new Map<string, Item>();

  /** A row as the table has it. */
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
