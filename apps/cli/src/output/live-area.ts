import type { Output } from './output.js';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[J';

/**
 * Lines at the bottom of a terminal that are redrawn in place. Messages of `Output.say` appear above them; nothing else may be
 * written meanwhile. Always call `end` or `erase`, which show the cursor again.
 */
export class LiveArea {
  private drawn: readonly string[] = [];
  private started = false;

  constructor(private readonly out: Output) {}

  /** Replaces the lines. No line may be wider than the terminal. */
  draw(lines: readonly string[]): void {
    if (this.started && lines.length === this.drawn.length && lines.every((line, index) => line === this.drawn[index]))
      return;
    const start = this.started ? '' : HIDE_CURSOR;
    if (!this.started) this.out.setMessageHandler((messages) => this.writeAbove(messages));
    this.started = true;
    this.out.write(start + this.moveBack() + lines.map((line) => `${line}\n`).join(''));
    this.drawn = lines;
  }

  /** Writes permanent lines above the live ones. */
  writeAbove(lines: readonly string[]): void {
    this.out.write(this.moveBack() + [...lines, ...this.drawn].map((line) => `${line}\n`).join(''));
  }

  /** Removes the lines and shows the cursor again. */
  erase(): void {
    if (this.started) this.out.write(this.moveBack());
    this.end();
  }

  /** Keeps the last lines and shows the cursor again. */
  end(): void {
    if (this.started) this.out.write(SHOW_CURSOR);
    this.out.setMessageHandler(undefined);
    this.drawn = [];
    this.started = false;
  }

  private moveBack(): string {
    return this.drawn.length === 0 ? '' : `\u001b[${this.drawn.length}A\r${CLEAR_BELOW}`;
  }
}
