import { toWellFormedText, type JsonValue } from '@phaseline/basics';

/** Maximum nesting. No tool needs deeper arguments, and recursive code would overflow its stack. */
const MAX_DEPTH = 64;

/** A JSON value that cannot be stored and read back unchanged. */
class UnstorableJson extends Error {
  readonly code = 'unstorable_json';
}

/**
 * Returns the same value with all its texts well-formed, including keys.
 *
 * @throws {UnstorableJson} if it is nested too deeply, or a number is too large to be serialised as JSON.
 */
export function toStorableJson(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return toWellFormedText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new UnstorableJson('a number is out of range');
    return value;
  }
  if (typeof value !== 'object' || value === null) return value === undefined ? null : (value as JsonValue);
  if (depth >= MAX_DEPTH) throw new UnstorableJson(`nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return value.map((item) => toStorableJson(item, depth + 1));
  // `fromEntries` defines members instead of assigning them, so `__proto__` stays a plain member.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toWellFormedText(key), toStorableJson(item, depth + 1)]),
  );
}
