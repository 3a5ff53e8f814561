/** Invisible characters that only disturb matching: C0 and C1 controls, soft hyphen, zero-width marks, byte order mark. */
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b-\u200d\u2060\ufeff]/;
const SPACE = /\s|\u0085/;

/**
 * Gathers the text of one block: collapses white space, drops invisible characters, and remembers for every
 * stretch of text on which line (or page) it stood and, where known, at which offset of the source.
 */
export class InlineText {
  text = '';
  readonly marks: [number, number][] = [];
  readonly code: [number, number][] = [];
  readonly runs: number[] = [];
  readonly wraps: number[] = [];
  private spacePending = false;

  /** Appends `value`, all of it standing at `place`; `source` is the offset of its first character in the source. */
  push(value: string, place: number, source?: number): void {
    const clean = value.toWellFormed();
    for (let i = 0; i < clean.length; i += 1) {
      const character = clean.charAt(i);
      if (SPACE.test(character)) {
        this.spacePending = this.text.length > 0;
      } else if (!INVISIBLE.test(character)) {
        this.put(character, place, source === undefined ? undefined : source + i);
      }
    }
  }

  /** Where the next visible character will stand. */
  get nextOffset(): number {
    return this.text.length + (this.spacePending ? 1 : 0);
  }

  /** Makes sure that what follows is a word of its own. */
  breakWord(): void {
    this.spacePending = this.text.length > 0;
  }

  private put(character: string, place: number, source: number | undefined): void {
    if (this.spacePending) {
      this.text += ' ';
      this.spacePending = false;
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
