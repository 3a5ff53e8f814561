/**
 * Removes trailing characters that match a set. A pattern such as `/[\s:]+$/` would take quadratic time: hours for a run of a million
 * such characters.
 */
export function trimTrailing(text: string, characters: RegExp): string {
  let end = text.length;
  while (end > 0 && characters.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
