import type { Output } from './output.js';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[J';

/**
 * Lines at the bottom of a terminal that are drawn again in place. What is said meanwhile with `Output.say` appears above
 * them; nothing else may be written. Call `end` in any case: it gives the cursor back.
 */
export class LiveArea {
  #drawn: readonly string[] = [];
  #started = false;

  constructor(private readonly out: Output) {}

  /** Replaces the lines. None may be wider than the terminal. */
  draw(lines: readonly string[]): void {
    if (
      this.#started &&
      lines.length === this.#drawn.length &&
      lines.every((line, index) => line === this.#drawn[index])
    )
      return;
    const start = this.#started ? '' : HIDE_CURSOR;
    if (!this.#started) this.out.keepBottom((said) => this.above(said));
    this.#started = true;
    this.out.write(start + this.#back() + lines.map((line) => `${line}\n`).join(''));
    this.#drawn = lines;
  }

  /** Lines that stay, above the live ones. */
  above(lines: readonly string[]): void {
    this.out.write(this.#back() + [...lines, ...this.#drawn].map((line) => `${line}\n`).join(''));
  }

  /** Takes the lines away and shows the cursor again. */
  erase(): void {
    if (this.#started) this.out.write(this.#back());
    this.end();
  }

  /** Leaves the last lines standing and shows the cursor again. */
  end(): void {
    if (this.#started) this.out.write(SHOW_CURSOR);
    this.out.keepBottom(undefined);
    this.#drawn = [];
    this.#started = false;
  }

  #back(): string {
    return this.#drawn.length === 0 ? '' : `\u001b[${this.#drawn.length}A\r${CLEAR_BELOW}`;
  }
}
