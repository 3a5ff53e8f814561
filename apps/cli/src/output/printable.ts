// Control characters, and characters that change the direction or appearance of the text after them.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Makes text of models, tools, files and servers safe for one line of a terminal. White space is collapsed; characters that could
 * move the cursor, change colours or hide text become `·`.
 */
export function toPrintable(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(HIDDEN, '·').trim();
}

/** Escapes such characters in the text of a JSON document, which stays the same document. */
export function escapeJson(json: string): string {
  return json.replace(HIDDEN, (hidden) =>
    hidden === '\n' ? hidden : `\\u${hidden.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Like `toPrintable`, for a whole file: keeps line breaks and tabs. */
export function toPrintableLines(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : '·'));
}
