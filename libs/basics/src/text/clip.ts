/** Cuts a text that is longer than `maxCharacters` (UTF-16 code units) and appends `…`. Never leaves half a surrogate pair. */
export function clip(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
}
