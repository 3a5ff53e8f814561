/** Reads phrases of a text. A phrase that was taken is no longer part of it, so that what remains is what the goal is about. */
export class PhraseScanner {
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text without the phrases that were taken. */
  get rest(): string {
    return this.#text;
  }

  /** Finds a phrase and leaves it in the text. */
  find(pattern: RegExp): RegExpExecArray | undefined {
    return pattern.exec(this.#text) ?? undefined;
  }

  /** Finds the first phrase that `accepts` agrees to, and leaves it in the text. */
  findWhere(pattern: RegExp, accepts: (match: RegExpExecArray) => boolean): RegExpExecArray | undefined {
    return [...this.#text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].find((found) => accepts(found));
  }

  /** Removes the first phrase that `accepts` agrees to, and returns it. */
  take(pattern: RegExp, accepts: (match: RegExpExecArray) => boolean = () => true): RegExpExecArray | undefined {
    const match = this.findWhere(pattern, accepts);
    if (match === undefined) return undefined;
    const end = match.index + match[0].length;
    // A mark, so that the words on both sides are not read as one phrase.
    this.#text = `${this.#text.slice(0, match.index)} ; ${this.#text.slice(end)}`;
    return match;
  }
}
