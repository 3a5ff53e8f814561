import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Keys that are names of fields. Others, such as `L1 once`, are data and stay as they are. */
const CAMEL_CASE = /^[a-z][a-zA-Z0-9]*$/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)+$/;

/** Returns the snake_case form of the name of a field: `optionsTried` becomes `options_tried`. */
export function toSnakeKey(key: string): string {
  return CAMEL_CASE.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
}

/** Returns the camelCase form of the name of a field. The inverse of `toSnakeKey` for keys without underscores. */
function toCamelKey(key: string): string {
  return SNAKE_CASE.test(key) ? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key;
}

/**
 * Renames the fields of a JSON value, at every depth, from camelCase (events, HTTP) to snake_case (columns, tool arguments, tool
 * results). Values stay as they are. `toCamelCase` is the exact inverse if no key contains an underscore.
 */
export function toSnakeCase(value: JsonValue): JsonValue {
  return renameKeys(value, toSnakeKey);
}

/** Renames the fields of a JSON value from snake_case to camelCase. `toSnakeCase` is the exact inverse if no key contains a capital. */
export function toCamelCase(value: JsonValue): JsonValue {
  return renameKeys(value, toCamelKey);
}

function renameKeys(value: JsonValue, rename: (key: string) => string): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => renameKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject);
  // fromEntries defines properties, so a key named __proto__ stays an ordinary key.
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), renameKeys(item, rename)]));
}
