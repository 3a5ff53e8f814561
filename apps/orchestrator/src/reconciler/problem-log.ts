/**
 * Reports problems once instead of at every pass: a stream that cannot be read stays unreadable, and repeated reports
 * would hide other log entries. A problem that ends is reported again when it returns.
 */
export class ProblemLog {
  private known = new Map<string, string>();
  private seen = new Map<string, string>();

  constructor(private readonly onNewProblem: (subject: string, error: unknown) => void) {}

  /** Records a problem with a subject in this pass. */
  report(subject: string, error: unknown): void {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (this.known.get(subject) !== text && this.seen.get(subject) !== text) this.onNewProblem(subject, error);
    this.seen.set(subject, text);
  }

  /** Ends a pass; returns the number of subjects with a problem. Problems not reported in the pass have ended. */
  endPass(): number {
    this.known = this.seen;
    this.seen = new Map();
    return this.known.size;
  }
}
