/**
 * Brings a quotation and its source to one form, in which layout and typography no longer differ but every word does:
 * white space, kinds of quotation marks and dashes, ligatures, and the signs of Markdown. Case and punctuation stay.
 */

const replacements: Readonly<Record<string, string>> = {
  '“': '"', '”': '"', '„': '"', '‟': '"', '«': '"', '»': '"',
  '‘': "'", '’': "'", '‚': "'", '‛': "'", '‹': "'", '›': "'", '´': "'",
  '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-',
  '…': '...',
}; // prettier-ignore

/** Signs of markup and of cells, and characters that nobody sees. */
const DROPPED = /[*`|\u00ad\u200b-\u200d\u2060\ufeff]/;

export interface Normalised {
  readonly text: string;
  /** For each character of `text`, its offset in the original. */
  readonly offsets: readonly number[];
}

export interface NormaliseOptions {
  /** Ignores spaces and hyphens altogether: the text layer of a PDF does not know them for certain. */
  readonly loose: boolean;
}

export function normalise(original: string, { loose }: NormaliseOptions): Normalised {
  let text = '';
  // Kept apart, because looking at the end of a text that grows copies all of it each time.
  let last = '';
  const offsets: number[] = [];
  const put = (value: string, offset: number): void => {
    text += value;
    last = value;
    for (let i = 0; i < value.length; i += 1) offsets.push(offset);
  };
  for (let i = 0; i < original.length; i += 1) {
    const character = original.charAt(i);
    if (DROPPED.test(character)) continue;
    if (
      character === '_' &&
      !(/[\p{L}\p{N}_]/u.test(original.charAt(i - 1)) && /[\p{L}\p{N}_]/u.test(original.charAt(i + 1)))
    )
      continue;
    if (/\s/.test(character)) {
      if (!loose && last !== '' && !last.endsWith(' ')) put(' ', i);
      continue;
    }
    const value = replacements[character] ?? (character > '\u007f' ? character.normalize('NFKC') : character);
    if (loose && value === '-') continue;
    put(value, i);
  }
  if (last.endsWith(' ')) return { text: text.slice(0, -1), offsets: offsets.slice(0, -1) };
  return { text, offsets };
}

/** A quotation copied from raw Markdown or HTML, reduced to what a reader sees of it. */
export function withoutMarkup(quote: string): string {
  return quote
    .replace(/!?\[([^\]]{0,1000})\](?:\([^)]{0,2000}\)|\[[^\]]{0,1000}\])/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/^[ \t]*>[ \t]?/gm, '')
    .replace(/^[^\S\n\r\u2028\u2029]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s+/gm, '');
}
