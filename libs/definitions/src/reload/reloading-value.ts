import { fingerprintFolders } from './fingerprint.js';

/**
 * A value loaded from the files of some folders and reloaded when they change. Changes are detected by times and sizes of
 * the files, because mounted volumes send no change notifications.
 */
export class ReloadingValue<Value> {
  private pending: Promise<Value> | undefined;

  private constructor(
    private readonly folders: readonly string[],
    private readonly load: (before: Value | undefined) => Promise<Value>,
    private value: Value,
    private seen: string,
  ) {}

  /** Loads the value for the first time. Throws what `load` throws. */
  static async open<Value>(
    folders: readonly string[],
    load: (before: Value | undefined) => Promise<Value>,
  ): Promise<ReloadingValue<Value>> {
    // Taken before loading, so that a change during the load causes a reload.
    const seen = await fingerprintFolders(folders);
    return new ReloadingValue(folders, load, await load(undefined), seen);
  }

  /** The value loaded last. */
  get current(): Value {
    return this.value;
  }

  /**
   * Returns the value, reloading it if the files have changed. `load` receives the previous value. If it throws, the error is
   * passed on, the previous value is kept, and the next call tries again.
   */
  refresh(): Promise<Value> {
    this.pending ??= this.reloadIfChanged().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async reloadIfChanged(): Promise<Value> {
    const seen = await fingerprintFolders(this.folders);
    if (seen === this.seen) return this.value;
    this.value = await this.load(this.value);
    this.seen = seen;
    return this.value;
  }
}
