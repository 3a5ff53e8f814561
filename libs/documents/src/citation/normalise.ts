/*
 * Brings a quotation and its source to the same form, so that only words, case and punctuation are compared. Removes differences in
 * whitespace, quotation marks, dashes, ligatures and Markdown markup.
 */

const replacements: Readonly<Record<string, string>> = {
  '“': '"', '”': '"', '„': '"', '‟': '"', '«': '"', '»': '"',
  '‘': "'", '’': "'", '‚': "'", '‛': "'", '‹': "'", '›': "'", '´': "'",
  '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-',
  '…': '...',
}; // prettier-ignore

/** Markup, cell separators and invisible characters. */
const DROPPED = /[*`|\u00ad\u200b-\u200d\u2060\ufeff]/;

export interface Normalised {
  readonly text: string;
  /** For each character of `text`, its offset in the original. */
  readonly offsets: readonly number[];
}

export interface NormaliseOptions {
  /** Ignores all spaces and hyphens, because the text layer of a PDF does not record them reliably. */
  readonly ignoreSpacing: boolean;
}

/** Normalises a text and maps each character to its offset in the original. */
export function normalise(original: string, { ignoreSpacing }: NormaliseOptions): Normalised {
  let text = '';
  // Kept separately, because reading the end of a growing string copies all of it each time.
  let last = '';
  const offsets: number[] = [];
  const append = (value: string, offset: number): void => {
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
      if (!ignoreSpacing && last !== '' && !last.endsWith(' ')) append(' ', i);
      continue;
    }
    const value = replacements[character] ?? (character > '\u007f' ? character.normalize('NFKC') : character);
    if (ignoreSpacing && value === '-') continue;
    append(value, i);
  }
  if (last.endsWith(' ')) return { text: text.slice(0, -1), offsets: offsets.slice(0, -1) };
  return { text, offsets };
}

/** Reduces a quotation copied from raw Markdown or HTML to its visible text. */
export function stripMarkup(quote: string): string {
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
