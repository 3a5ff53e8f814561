const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Characters that take two columns: East Asian wide and full-width blocks, and emoji drawn as pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;

/** Estimates the number of terminal columns that a text takes; precise enough to prevent lines from wrapping. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += getWidth(character);
  return width;
}

/** Cuts a text that is wider than `columns` and appends `…`. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (displayWidth(text) <= columns) return text;
  let width = 1;
  let kept = '';
  for (const character of text) {
    width += getWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Appends spaces to a text up to `columns`. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** Prepends spaces to a text up to `columns`. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

function getWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
