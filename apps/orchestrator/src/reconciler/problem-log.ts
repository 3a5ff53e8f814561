/**
 * Tells of problems once, not at every pass: a stream that cannot be read stays so, and a log full of it hides the rest. What
 * is over may be told of again when it comes back.
 */
export class ProblemLog {
  #known = new Map<string, string>();
  #seen = new Map<string, string>();

  constructor(private readonly tell: (subject: string, error: unknown) => void) {}

  /** A problem with something, as of this pass. */
  report(subject: string, error: unknown): void {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (this.#known.get(subject) !== text && this.#seen.get(subject) !== text) this.tell(subject, error);
    this.#seen.set(subject, text);
  }

  /** Ends a pass; returns how many things have a problem. What was not reported in it is over. */
  endPass(): number {
    this.#known = this.#seen;
    this.#seen = new Map();
    return this.#known.size;
  }
}
