import { LiveArea } from '../output/live-area.js';
import type { Output } from '../output/output.js';
import { WHEEL } from '../progress/render-progress.js';

const REDRAW_INTERVAL_MS = 100;

/**
 * Prints one line per completed step, and on a terminal a spinner with what is being waited for. With `--json` each step is a
 * record.
 */
export class StepList {
  readonly #live: LiveArea | undefined;
  #waitingFor = '';
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly out: Output) {
    this.#live = out.isTerminal && !out.json ? new LiveArea(out) : undefined;
  }

  done(message: string): void {
    if (this.out.json) this.out.record({ kind: 'step', message });
    else if (this.#timer) this.#live?.above([this.#format(message)]);
    else this.out.lines(this.#format(message));
  }

  /** Shows a spinner until `settle` is called. */
  waitFor(what: string): void {
    this.#waitingFor = what;
    if (!this.#live) return;
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_INTERVAL_MS);
    this.#draw();
  }

  settle(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#live?.erase();
  }

  #draw(): void {
    this.#live?.draw([`${this.out.paint.cyan(WHEEL[this.#frame++ % WHEEL.length]!)} ${this.#waitingFor}`]);
  }

  #format(message: string): string {
    return `${this.out.paint.green('✓')} ${message}`;
  }
}
