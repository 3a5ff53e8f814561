import type { JsonValue } from '../json.js';

/** U+FFFD, as `String.prototype.toWellFormed` uses: the reader sees that something stood there. */
const REPLACEMENT = '\uFFFD';

/** Neither NUL nor a lone surrogate can be stored as text in PostgreSQL; models and tools do produce both. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with every NUL and every lone surrogate replaced by U+FFFD; the same string when there is none. */
export function wellFormedText(text: string): string {
  return isWellFormedText(text) ? text : text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/**
 * Mends every string and every key inside a JSON value. A clean value is returned as it is, not copied.
 * Two keys that become alike by mending keep the value of the later one.
 */
export function wellFormed<T extends JsonValue>(value: T): T {
  return mend(value) as T;
}

function mend(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormedText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const mended = items.map(mend);
    return mended.some((item, index) => item !== items[index]) ? mended : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    const mended: [string, JsonValue] = [wellFormedText(key), mend(item)];
    changed ||= mended[0] !== key || mended[1] !== item;
    return mended;
  });
  // fromEntries defines properties, so that a key named __proto__ stays an ordinary key.
  return changed ? Object.fromEntries(entries) : value;
}

/** In JSON.stringify's output NUL and lone surrogates can only stand escaped. May also match an escaped backslash. */
const suspicious = /\\u(?:0000|d[89a-f])/;

/** JSON text of a value, mended. Looks at the text first, because nearly every value is clean. */
export function wellFormedJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return suspicious.test(text) ? JSON.stringify(wellFormed(value)) : text;
}
