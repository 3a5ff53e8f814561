const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Limits what each address may do per minute, such as sending wrong keys. Counts in the memory of this process. */
export class AddressLimit {
  private readonly windows = new Map<string, { count: number; readonly until: number }>();

  constructor(
    private readonly maxPerMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one. Returns the seconds to wait if there were too many; undefined otherwise. */
  add(address: string): number | undefined {
    const now = this.now();
    let window = this.windows.get(address);
    if (!window || window.until <= now) {
      if (this.windows.size >= MAX_ADDRESSES) this.windows.clear();
      window = { count: 0, until: now + WINDOW_MS };
      this.windows.set(address, window);
    }
    window.count += 1;
    return this.blockedForSeconds(address);
  }

  /** Returns the seconds to wait if the address had too many; undefined otherwise. Counts nothing. */
  blockedForSeconds(address: string): number | undefined {
    const window = this.windows.get(address);
    const now = this.now();
    if (!window || window.until <= now || window.count <= this.maxPerMinute) return undefined;
    return Math.ceil((window.until - now) / 1_000);
  }
}
