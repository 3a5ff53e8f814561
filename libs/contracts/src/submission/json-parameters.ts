import { toWellFormedText, type JsonObject, type JsonValue } from '@phaseline/basics';
import { z } from 'zod';
import { SUBMIT_LIMITS } from './document.js';

/** Maximum nesting depth. Deeper values are useless and would let a small request exhaust a reader's stack. */
const MAX_DEPTH = 32;

/**
 * Schema of any JSON object. Strings and keys are made well-formed. Values that JSON cannot represent (functions, dates, `undefined` in
 * an array, NaN) are rejected with their path. The size is checked first, because the other checks take time per value.
 */
export const jsonParametersSchema: z.ZodType<JsonObject> = z
  .unknown()
  .transform((value, context) => {
    try {
      if (!isPlainObject(value)) throw new NotJson([], 'expected object');
      assertSize(value);
      const cleaned = clean(value, [], 0) as JsonObject;
      if (JSON.stringify(cleaned).length > SUBMIT_LIMITS.parameterCharacters)
        throw new NotJson(
          [],
          `expected at most ${SUBMIT_LIMITS.parameterCharacters} characters of JSON; send it as a document`,
        );
      return cleaned;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      context.addIssue({ code: 'custom', path: [...error.path], message: error.message });
      return z.NEVER;
    }
  })
  .meta({ type: 'object', additionalProperties: {} });

/** Throws NotJson if there are too many values. */
function assertSize(value: object): void {
  const pending: unknown[] = [value];
  let values = 0;
  for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
    if (typeof inner !== 'object' || inner === null) continue;
    const members = Array.isArray(inner) ? (inner as unknown[]) : Object.values(inner);
    values += members.length;
    if (values > SUBMIT_LIMITS.parameterValues)
      throw new NotJson([], `expected at most ${SUBMIT_LIMITS.parameterValues} values; send it as a document`);
    for (const member of members) if (typeof member === 'object' && member !== null) pending.push(member);
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
  if (typeof value === 'string') return toWellFormedText(value);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => clean(item, [...path, index], depth + 1));
  if (isPlainObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(
      entries.map(([key, item]) => [toWellFormedText(key), clean(item, [...path, key], depth + 1)]),
    );
  }
  throw new NotJson(path, 'expected a JSON value');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
