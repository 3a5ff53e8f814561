/** Invisible characters that would prevent matches: C0 and C1 controls, soft hyphen, zero-width characters, byte order mark. */
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b-\u200d\u2060\ufeff]/;
const SPACE = /\s|\u0085/;

/**
 * Collects the text of one block. Collapses whitespace, drops invisible characters, and records for every range of text its line
 * (or page) and, if known, its offset in the source.
 */
export class InlineText {
  text = '';
  readonly marks: [number, number][] = [];
  readonly code: [number, number][] = [];
  readonly runs: number[] = [];
  readonly wraps: number[] = [];
  private hasPendingSpace = false;

  /** Appends `value`, which is on line or page `place`. `source` is the offset of its first character in the source. */
  push(value: string, place: number, source?: number): void {
    const clean = value.toWellFormed();
    for (let i = 0; i < clean.length; i += 1) {
      const character = clean.charAt(i);
      if (SPACE.test(character)) {
        this.hasPendingSpace = this.text.length > 0;
      } else if (!INVISIBLE.test(character)) {
        this.append(character, place, source === undefined ? undefined : source + i);
      }
    }
  }

  /** Offset that the next visible character will have. */
  get nextOffset(): number {
    return this.text.length + (this.hasPendingSpace ? 1 : 0);
  }

  /** Starts a new word: inserts a space before the next character. */
  breakWord(): void {
    this.hasPendingSpace = this.text.length > 0;
  }

  private append(character: string, place: number, source: number | undefined): void {
    if (this.hasPendingSpace) {
      this.text += ' ';
      this.hasPendingSpace = false;
    }
    if (this.marks.at(-1)?.[1] !== place) this.marks.push([this.text.length, place]);
    if (source !== undefined) this.extendRun(this.text.length, source);
    this.text += character;
  }

  private extendRun(offset: number, source: number): void {
    const { runs } = this;
    const last = runs.length - 3;
    const length = runs[last + 2] ?? 0;
    if (last >= 0 && runs[last]! + length === offset && runs[last + 1]! + length === source)
      runs[last + 2] = length + 1;
    else runs.push(offset, source, 1);
  }
}
