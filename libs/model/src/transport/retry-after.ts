/** A server that asks for more than a week is understood to ask for a week. */
const LONGEST_MS = 7 * 86_400_000;

/** How long a server asks to be left alone, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or a date. */
export function readRetryAfter(headers: Headers | undefined, now: number = Date.now()): number | undefined {
  const asked = askedFor(headers, now);
  return asked === undefined ? undefined : Math.min(asked, LONGEST_MS);
}

function askedFor(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = positive(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const after = headers?.get('retry-after');
  const seconds = positive(after);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  const date = Date.parse(after ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null | undefined): number | undefined {
  if (!text || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}
