const NUL = String.fromCharCode(0);

/** Error texts longer than this are of no use to a reader and may hold a whole document. */
const MAX_ERROR_TEXT = 2_000;

/** The text without NUL and without half surrogate pairs: PostgreSQL refuses both, in `jsonb` and in `text`. */
export function cleanText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes(NUL) ? wellFormed.replaceAll(NUL, '') : wellFormed;
}

/** The same for every string and key inside a JSON value. Gives back the value itself when there is nothing to clean. */
export function cleanJson<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const cleaned = value.map((item: unknown) => cleanJson(item));
    return cleaned.every((item, index) => item === value[index]) ? value : (cleaned as T);
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(([key, item]) => [cleanText(key), cleanJson(item)] as const);
  const same = cleaned.every(([key, item], index) => key === entries[index]![0] && item === entries[index]![1]);
  return same ? value : (Object.fromEntries(cleaned) as T);
}

/** What an error, or anything else that was thrown, says: clean, one to 2,000 characters. */
export function errorText(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  // Cut first: a cut may halve a surrogate pair.
  return cleanText(text.slice(0, MAX_ERROR_TEXT)) || 'unknown error';
}
