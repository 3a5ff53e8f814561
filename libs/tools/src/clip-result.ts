/** A result as the model gets it: made well-formed, and cut in the middle when it is longer than `limit` characters. */
export function clipResult(text: string, limit: number): string {
  const clean = text.toWellFormed().replaceAll('\0', '');
  if (clean.length <= limit) return clean;
  const head = Math.floor(limit * 0.7);
  const tail = Math.floor(limit * 0.2);
  const left = clean.length - head - tail;
  return `${clean.slice(0, head)}\n[… ${left} characters left out …]\n${clean.slice(clean.length - tail)}`.toWellFormed();
}
