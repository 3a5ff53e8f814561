import type { JsonValue } from '../json.js';

/** U+FFFD, the character that `String.prototype.toWellFormed` uses as well. */
const REPLACEMENT = '\uFFFD';

/** Whether PostgreSQL can store a text: it contains neither NUL nor lone surrogates. Models and tools do produce both. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Replaces every NUL and every lone surrogate in a text by U+FFFD. */
export function toWellFormedText(text: string): string {
  return isWellFormedText(text) ? text : text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/**
 * Replaces NUL and lone surrogates in all strings and keys of a JSON value. A well-formed value is returned without copying. If two keys
 * become equal, the later value wins.
 */
export function toWellFormed<T extends JsonValue>(value: T): T {
  return replaceMalformed(value) as T;
}

function replaceMalformed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return toWellFormedText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const replaced = items.map(replaceMalformed);
    return replaced.some((item, index) => item !== items[index]) ? replaced : value;
  }
  let hasChanged = false;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    const entry: [string, JsonValue] = [toWellFormedText(key), replaceMalformed(item)];
    hasChanged ||= entry[0] !== key || entry[1] !== item;
    return entry;
  });
  // fromEntries defines properties, so a key named __proto__ stays an ordinary key.
  return hasChanged ? Object.fromEntries(entries) : value;
}

/** Matches escaped NUL and lone surrogates in the output of JSON.stringify, which always escapes them. May also match an escaped backslash. */
const MAYBE_MALFORMED = /\\u(?:0000|d[89a-f])/;

/** Serialises a value to JSON with NUL and lone surrogates replaced. Checks the text first, because nearly all values are well-formed. */
export function toWellFormedJson(value: JsonValue | object): string {
  const text = JSON.stringify(value);
  // Objects of other types are treated as JSON too: the second `stringify` handles what JSON cannot represent.
  return MAYBE_MALFORMED.test(text) ? JSON.stringify(toWellFormed(value as JsonValue)) : text;
}
