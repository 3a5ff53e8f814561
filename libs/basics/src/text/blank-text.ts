/** Any visible character: not white space, a control or format character (zero-width, direction marks), or an invisible filler. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a text is empty or consists only of invisible characters. */
export function isBlankText(text: string): boolean {
  return !VISIBLE.test(text);
}
