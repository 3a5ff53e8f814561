/**
 * The clock of a server as seen from here: its time when it was asked last, carried on by the monotonic clock of this process.
 * Steps of this machine's own clock do not touch it.
 */
export class ServerClock {
  #known: { readonly server: number; readonly at: number; readonly within: number } | undefined;

  /** Takes down what the server said between `askedAt` and `answeredAt` (`performance.now()`). */
  observe(serverMs: number, askedAt: number, answeredAt: number): void {
    const at = (askedAt + answeredAt) / 2;
    const within = (answeredAt - askedAt) / 2;
    const known = this.#known;
    // A slow answer says less than what is known, unless it says that the server's clock was set.
    if (known && within > known.within + 1 && Math.abs(this.now(at) - serverMs) <= within + known.within) return;
    this.#known = { server: serverMs, at, within };
  }

  /** The server's time in epoch milliseconds; this machine's while the server was never asked. */
  now(at = performance.now()): number {
    const known = this.#known;
    return known ? Math.round(known.server + at - known.at) : Date.now();
  }

  /** A time of the server as BullMQ's worker compares it: with `Date.now()`. Zero means none. */
  toLocal(serverMs: number): number {
    return serverMs > 0 ? serverMs - this.now() + Date.now() : serverMs;
  }
}
