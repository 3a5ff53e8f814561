const NUL = String.fromCharCode(0);

/** Maximum length of an error text in characters. Longer texts may contain a whole document. */
const MAX_ERROR_LENGTH = 2_000;

/** Removes NUL and replaces lone surrogates: PostgreSQL accepts neither in `jsonb` or `text`. */
export function cleanText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes(NUL) ? wellFormed.replaceAll(NUL, '') : wellFormed;
}

/** Applies `cleanText` to every string and key in a JSON value. Returns the value itself if nothing changes. */
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

/** Message of an error or of any other thrown value: cleaned, between 1 and 2,000 characters. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  // Cut before cleaning, because the cut may split a surrogate pair.
  return cleanText(text.slice(0, MAX_ERROR_LENGTH)) || 'unknown error';
}
