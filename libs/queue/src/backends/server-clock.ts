/**
 * Estimate of a server's clock: the server's time at the last query plus the time elapsed on this process's monotonic clock.
 * Changes of the local wall clock do not affect it.
 */
export class ServerClock {
  private sample: { readonly serverMs: number; readonly at: number; readonly errorMs: number } | undefined;

  /** Records the server's time, queried between `sentAt` and `receivedAt` (both by `performance.now()`). */
  observe(serverMs: number, sentAt: number, receivedAt: number): void {
    const at = (sentAt + receivedAt) / 2;
    const errorMs = (receivedAt - sentAt) / 2;
    const last = this.sample;
    // A slow response is less accurate than the last sample, so it is ignored unless it shows that the server's clock was set.
    if (last && errorMs > last.errorMs + 1 && Math.abs(this.now(at) - serverMs) <= errorMs + last.errorMs) return;
    this.sample = { serverMs, at, errorMs };
  }

  /** The server's time in epoch milliseconds; the local time before the first sample. */
  now(at = performance.now()): number {
    const sample = this.sample;
    return sample ? Math.round(sample.serverMs + at - sample.at) : Date.now();
  }

  /** Converts a server time to the local clock, for comparison with `Date.now()`. Zero means none. */
  toLocal(serverMs: number): number {
    return serverMs > 0 ? serverMs - this.now() + Date.now() : serverMs;
  }
}
