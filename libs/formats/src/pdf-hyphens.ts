/* Joins the lines of a PDF to running text, and decides whether a hyphen at the end of a line belongs to the word. */

const HYPHEN = /[-\u2010\u00ad]$/;
const CONJUNCTION = /^(?:und|oder|bzw\.|sowie|and|or)(?=\s)/u;

/** The words of a document. They distinguish `require-|ments` (written as one word elsewhere) from `end-|to-end` (hyphenated elsewhere). */
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

/** Maximum characters that are searched for the start of a word, to bound the time of the pattern. */
const MAX_WORD_CHARACTERS = 200;

/** Returns how to join two lines of one paragraph: the number of characters to cut off the first, and the text to insert. */
export function decideSeam(line: string, next: string, vocabulary: Vocabulary): { cut: number; between: string } {
  if (!HYPHEN.test(line) || !/\p{L}[-\u2010\u00ad]$/u.test(line)) return { cut: 0, between: ' ' };
  if (line.endsWith('\u00ad')) return { cut: 1, between: '' };
  if (CONJUNCTION.test(next)) return { cut: 0, between: ' ' };
  const head = /[\p{L}\p{N}-]+$/u.exec(line.slice(-MAX_WORD_CHARACTERS, -1))?.[0] ?? '';
  const tail = /^[\p{L}\p{N}-]+/u.exec(next)?.[0] ?? '';
  if (tail === '') return { cut: 0, between: ' ' };
  if (vocabulary.has(head + tail)) return { cut: 1, between: '' };
  if (vocabulary.has(`${head}-${tail}`)) return { cut: 0, between: '' };
  // Keep the hyphen before a capital or a digit, as in `Client-|Server`, and in a word that has another hyphen.
  return /^\p{Ll}/u.test(tail) && !head.includes('-') ? { cut: 1, between: '' } : { cut: 0, between: '' };
}
