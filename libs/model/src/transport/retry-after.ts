/** Maximum delay, one week. Longer requests are capped. */
const MAX_RETRY_AFTER_MS = 7 * 86_400_000;

/** Reads the delay that a server requests, in milliseconds: from `retry-after-ms`, or from `retry-after` as seconds or a date. */
export function readRetryAfter(headers: Headers | undefined, now: number = Date.now()): number | undefined {
  const delayMs = readRequestedDelayMs(headers, now);
  return delayMs === undefined ? undefined : Math.min(delayMs, MAX_RETRY_AFTER_MS);
}

function readRequestedDelayMs(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = parseNonNegative(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const after = headers?.get('retry-after');
  const seconds = parseNonNegative(after);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  const date = Date.parse(after ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function parseNonNegative(text: string | null | undefined): number | undefined {
  if (!text || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}
