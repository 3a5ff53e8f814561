/** A result in characters that can be stored: whole ones, and none that PostgreSQL refuses. */
export function cleanResult(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** A text as the model gets it: clean, and cut in the middle when it is longer than `limit` characters. */
export function clipResult(text: string, limit: number): string {
  const clean = cleanResult(text);
  if (clean.length <= limit) return clean;
  const head = Math.floor(limit * 0.7);
  const tail = Math.floor(limit * 0.2);
  const left = clean.length - head - tail;
  return `${clean.slice(0, head)}\n[… ${left} characters left out …]\n${clean.slice(clean.length - tail)}`.toWellFormed();
}
