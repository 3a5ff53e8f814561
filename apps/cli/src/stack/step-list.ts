import { LiveArea } from '../output/live-area.js';
import type { Output } from '../output/output.js';
import { SPINNER_FRAMES } from '../progress/render-progress.js';

const REDRAW_INTERVAL_MS = 100;

/**
 * Prints one line per completed step, and on a terminal a spinner with what is being waited for. With `--json` each step is a
 * record.
 */
export class StepList {
  private readonly live: LiveArea | undefined;
  private waitingFor = '';
  private frame = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly out: Output) {
    this.live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  }

  complete(message: string): void {
    if (this.out.isStructured) this.out.writeRecord({ kind: 'step', message });
    else if (this.timer) this.live?.writeAbove([this.format(message)]);
    else this.out.writeLines(this.format(message));
  }

  /** Shows a spinner until `settle` is called. */
  startWaiting(what: string): void {
    this.waitingFor = what;
    if (!this.live) return;
    this.timer ??= setInterval(() => this.draw(), REDRAW_INTERVAL_MS);
    this.draw();
  }

  stopWaiting(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.live?.erase();
  }

  private draw(): void {
    this.live?.draw([
      `${this.out.paint.cyan(SPINNER_FRAMES[this.frame++ % SPINNER_FRAMES.length]!)} ${this.waitingFor}`,
    ]);
  }

  private format(message: string): string {
    return `${this.out.paint.green('✓')} ${message}`;
  }
}
