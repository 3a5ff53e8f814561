const EVERY_MS = 5_000;

/** Prints what a scenario does: each stage when it begins, and its current state every five seconds. */
export class ProgressLine {
  private line = '';
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly note: (line: string) => void) {
    this.timer = setInterval(() => this.note(this.line), EVERY_MS);
  }

  /** Begins a stage. */
  begin(line: string): void {
    this.line = line;
    this.note(line);
  }

  /** Replaces the line that is printed next. */
  update(line: string): void {
    this.line = line;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
