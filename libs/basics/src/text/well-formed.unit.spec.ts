import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json.js';
import { isWellFormedText, toWellFormed, toWellFormedJson } from './well-formed.js';

const collectStrings = (value: JsonValue): string[] => {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...collectStrings(item as JsonValue)]);
};

/** Generates JSON values with any code units in strings, including lone surrogates and NUL. */
const json = fc.jsonValue({
  stringUnit: fc.oneof(
    fc.constant('\0'),
    fc.constant('\ud800'),
    fc.constant('\udc00'),
    fc.constant('😀'),
    fc.constant('\\'),
    fc.constant('u0000'),
    fc.string(),
  ) as never,
});

describe('toWellFormed', () => {
  it('replaces only NUL and lone surrogates in values and keys', () => {
    expect(toWellFormed({ 'k\0': ['a\0b', { deep: '\ud83d!' }], ok: '😀', n: -0 })).toEqual({
      'k\uFFFD': ['a\uFFFDb', { deep: '\uFFFD!' }],
      ok: '😀',
      n: -0,
    });
  });

  it('returns a well-formed value without copying it', () => {
    const value = { a: ['b', { c: '\\u0000' }], d: null, e: 1.5 };
    expect(toWellFormed(value)).toBe(value);
  });

  it('keeps a key named __proto__ an ordinary key', () => {
    const replaced = toWellFormed(JSON.parse('{"__proto__": "a\\u0000"}') as JsonValue);
    expect(JSON.stringify(replaced)).toBe('{"__proto__":"a\uFFFD"}');
  });

  it('leaves nothing that PostgreSQL rejects, for any value', () => {
    fc.assert(
      fc.property(json as fc.Arbitrary<JsonValue>, (value) =>
        collectStrings(toWellFormed(value)).every(isWellFormedText),
      ),
    );
  });
});

describe('toWellFormedJson', () => {
  it('returns the JSON of the well-formed value, for any value', () => {
    fc.assert(
      fc.property(
        json as fc.Arbitrary<JsonValue>,
        (value) => toWellFormedJson(value) === JSON.stringify(toWellFormed(value)),
      ),
    );
  });

  it('keeps a backslash that only looks like an escaped NUL', () => {
    expect(toWellFormedJson({ path: 'C:\\u0000' })).toBe('{"path":"C:\\\\u0000"}');
  });
});
