// Control characters, and those that change the direction or the look of what follows.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text of models, tools, files and servers for one line of a terminal. Runs of white space become one blank; what could move
 * the cursor, change colours or hide text becomes `·`.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(HIDDEN, '·').trim();
}

/** The same for a whole file on a terminal: its lines and tabs stay. */
export function printableLines(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : '·'));
}
