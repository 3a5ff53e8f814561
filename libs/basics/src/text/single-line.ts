/** Joins the lines of a text: each run of white space becomes one space. */
export function toSingleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
