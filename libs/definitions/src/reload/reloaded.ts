import { fingerprint } from './fingerprint.js';

/**
 * A value that follows from the files of some folders, loaded anew when they have changed. By their times and sizes, and not
 * by what a system would tell of changes: mounted volumes tell nothing.
 */
export class Reloaded<Value> {
  private under: Promise<Value> | undefined;

  private constructor(
    private readonly folders: readonly string[],
    private readonly load: (before: Value | undefined) => Promise<Value>,
    private value: Value,
    private seen: string,
  ) {}

  /** Loads for the first time. Throws what `load` throws. */
  static async open<Value>(
    folders: readonly string[],
    load: (before: Value | undefined) => Promise<Value>,
  ): Promise<Reloaded<Value>> {
    // Looked at first: what changes while it is loaded is loaded again.
    const seen = await fingerprint(folders);
    return new Reloaded(folders, load, await load(undefined), seen);
  }

  /** As it was loaded last. */
  get current(): Value {
    return this.value;
  }

  /**
   * The value of the files as they are now. `load` is given the value before, and what it throws is thrown, with the old value
   * kept and the files tried again the next time.
   */
  fresh(): Promise<Value> {
    this.under ??= this.look().finally(() => (this.under = undefined));
    return this.under;
  }

  private async look(): Promise<Value> {
    const seen = await fingerprint(this.folders);
    if (seen === this.seen) return this.value;
    this.value = await this.load(this.value);
    this.seen = seen;
    return this.value;
  }
}
