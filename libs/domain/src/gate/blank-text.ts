/** Any character but white space, control and format characters (zero-width ones, direction marks), and fillers drawn as nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a text shows nothing to its reader: it is empty, or made of characters that nobody sees. */
export function isBlankText(text: string): boolean {
  return !VISIBLE.test(text);
}
