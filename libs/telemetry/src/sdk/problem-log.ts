const INTERVAL_MS = 60_000;

export type LogProblem = (fields: { readonly dropped: number; readonly reason: string }) => void;

/** Logs problems of telemetry at most once per minute, with the number of spans dropped since the last line. */
export class ProblemLog {
  private dropped = 0;
  private nextAt = 0;

  constructor(
    private readonly log: LogProblem,
    private readonly now: () => number = () => performance.now(),
  ) {}

  report(dropped: number, reason: string): void {
    this.dropped += dropped;
    if (this.now() < this.nextAt) return;
    this.nextAt = this.now() + INTERVAL_MS;
    this.log({ dropped: this.dropped, reason });
    this.dropped = 0;
  }
}
