import { toWellFormedText } from '@phaseline/basics';

/** Returns a text for the model: well-formed, and cut in the middle when it is longer than `limit` characters. */
export function clipResult(text: string, limit: number): string {
  const clean = toWellFormedText(text);
  if (clean.length <= limit) return clean;
  const head = Math.floor(limit * 0.7);
  const tail = Math.floor(limit * 0.2);
  const omitted = clean.length - head - tail;
  return `${clean.slice(0, head)}\n[… ${omitted} characters omitted …]\n${clean.slice(clean.length - tail)}`.toWellFormed();
}
