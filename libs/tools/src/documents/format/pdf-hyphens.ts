/** Joins the lines of a PDF to running text and decides for each hyphen at a line's end whether it belongs to the word. */

const HYPHEN = /[-\u2010\u00ad]$/;
const CONJUNCTION = /^(?:und|oder|bzw\.|sowie|and|or)(?=\s)/u;

/** The words of a document, to tell `require-|ments` (joined elsewhere) from `end-|to-end` (hyphenated elsewhere). */
export class Vocabulary {
  private readonly words = new Set<string>();

  add(line: string): void {
    for (const word of line.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*(?!-?$)/gu) ?? [])
      this.words.add(word);
  }

  has(word: string): boolean {
    return this.words.has(word.toLowerCase());
  }
}

/** A longer run of letters is no word, and a pattern that looks for its beginning is tried at each of them. */
const LONGEST_WORD = 200;

/** What stands between two lines of one paragraph: how many characters to cut off the first, and what to put between. */
export function seam(line: string, next: string, vocabulary: Vocabulary): { cut: number; between: string } {
  if (!HYPHEN.test(line) || !/\p{L}[-\u2010\u00ad]$/u.test(line)) return { cut: 0, between: ' ' };
  if (line.endsWith('\u00ad')) return { cut: 1, between: '' };
  if (CONJUNCTION.test(next)) return { cut: 0, between: ' ' };
  const head = /[\p{L}\p{N}-]+$/u.exec(line.slice(-LONGEST_WORD, -1))?.[0] ?? '';
  const tail = /^[\p{L}\p{N}-]+/u.exec(next)?.[0] ?? '';
  if (tail === '') return { cut: 0, between: ' ' };
  if (vocabulary.has(head + tail)) return { cut: 1, between: '' };
  if (vocabulary.has(`${head}-${tail}`)) return { cut: 0, between: '' };
  // A capital or a digit behind the hyphen begins a word of its own, as in `Client-|Server`; so does a part that is itself hyphenated.
  return /^\p{Ll}/u.test(tail) && !head.includes('-') ? { cut: 1, between: '' } : { cut: 0, between: '' };
}
