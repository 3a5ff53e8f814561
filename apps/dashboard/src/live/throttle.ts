/** Runs an action per key at once, and then at most once per interval: the last one that was wanted meanwhile runs at its end. */
export class Throttle {
  private readonly waiting = new Map<
    string,
    { wanted: (() => void) | undefined; readonly timer: ReturnType<typeof setTimeout> }
  >();

  constructor(private readonly intervalMs: number) {}

  run(key: string, action: () => void): void {
    const waiting = this.waiting.get(key);
    if (waiting) {
      waiting.wanted = action;
      return;
    }
    this.waiting.set(key, { wanted: undefined, timer: setTimeout(() => this.end(key), this.intervalMs) });
    action();
  }

  stop(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  private end(key: string): void {
    const wanted = this.waiting.get(key)?.wanted;
    this.waiting.delete(key);
    if (wanted) this.run(key, wanted);
  }
}
