/**
 * A text without the characters of a set at its end. A pattern such as `/[\s:]+$/` would be tried at each of them in turn, which takes
 * hours for a document that has a million of them in a row.
 */
export function withoutTail(text: string, characters: RegExp): string {
  let end = text.length;
  while (end > 0 && characters.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
