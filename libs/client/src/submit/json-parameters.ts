import { z } from 'zod';
import { SUBMIT_LIMITS } from './document.js';
import { wellFormed } from './well-formed-text.js';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper values serve nobody and would let a small request exhaust a reader's stack. */
const MAX_DEPTH = 32;

/**
 * A JSON object of any content: text in it, keys included, is made well-formed; what JSON cannot say (functions, dates,
 * `undefined` in a list, NaN) is refused with its place. Its size is checked first, because every other check takes time per value.
 */
export const jsonObjectSchema: z.ZodType<JsonObject> = z
  .unknown()
  .transform((value, context) => {
    try {
      if (!isPlainObject(value)) throw new NotJson([], 'expected object');
      refuseLarge(value);
      const cleaned = clean(value, [], 0) as JsonObject;
      if (JSON.stringify(cleaned).length > SUBMIT_LIMITS.parameterCharacters)
        throw new NotJson(
          [],
          `expected at most ${SUBMIT_LIMITS.parameterCharacters} characters of JSON: send it as a document`,
        );
      return cleaned;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      context.addIssue({ code: 'custom', path: [...error.path], message: error.message });
      return z.NEVER;
    }
  })
  .meta({ type: 'object', additionalProperties: {} });

/** Throws NotJson when there are too many values. Counts without looking at a single one. */
function refuseLarge(value: object): void {
  const open: unknown[] = [value];
  let values = 0;
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    if (typeof inner !== 'object' || inner === null) continue;
    const members = Array.isArray(inner) ? (inner as unknown[]) : Object.values(inner);
    values += members.length;
    if (values > SUBMIT_LIMITS.parameterValues)
      throw new NotJson([], `expected at most ${SUBMIT_LIMITS.parameterValues} values: send it as a document`);
    for (const member of members) if (typeof member === 'object' && member !== null) open.push(member);
  }
}

class NotJson extends Error {
  constructor(
    readonly path: readonly PropertyKey[],
    message: string,
  ) {
    super(message);
  }
}

function clean(value: unknown, path: readonly PropertyKey[], depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw new NotJson(path, `expected at most ${MAX_DEPTH} levels of nesting`);
  if (typeof value === 'string') return wellFormed(value);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => clean(item, [...path, index], depth + 1));
  if (isPlainObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [wellFormed(key), clean(item, [...path, key], depth + 1)]));
  }
  throw new NotJson(path, 'expected a value that JSON can hold');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
