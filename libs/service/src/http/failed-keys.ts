/** Number of wrong keys per address and minute after which further ones are refused with a time to wait. */
const MAX_FAILURES_PER_MINUTE = 20;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Counts requests with wrong keys per address. Keys that this process has accepted before are never limited. */
export class FailedKeys {
  private readonly windows = new Map<string, { failures: number; readonly until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts a failure. Returns the seconds to wait if there were too many; undefined otherwise. */
  add(address: string): number | undefined {
    const now = this.now();
    let window = this.windows.get(address);
    if (!window || window.until <= now) {
      if (this.windows.size >= MAX_ADDRESSES) this.windows.clear();
      window = { failures: 0, until: now + WINDOW_MS };
      this.windows.set(address, window);
    }
    window.failures += 1;
    return this.blockedForSeconds(address);
  }

  /** Returns the seconds to wait if the address had too many failures; undefined otherwise. Counts nothing. */
  blockedForSeconds(address: string): number | undefined {
    const window = this.windows.get(address);
    const now = this.now();
    if (!window || window.until <= now || window.failures <= MAX_FAILURES_PER_MINUTE) return undefined;
    return Math.ceil((window.until - now) / 1_000);
  }
}
