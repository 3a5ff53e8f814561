import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json.js';
import { isWellFormedText, wellFormed, wellFormedJson } from './well-formed.js';

const strings = (value: JsonValue): string[] => {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...strings(item as JsonValue)]);
};

/** JSON with any code units in its strings, lone surrogates and NUL included. */
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

describe('wellFormed', () => {
  it('mends NUL and lone surrogates in values and keys, and nothing else', () => {
    expect(wellFormed({ 'k\0': ['a\0b', { deep: '\ud83d!' }], ok: '😀', n: -0 })).toEqual({
      'k\uFFFD': ['a\uFFFDb', { deep: '\uFFFD!' }],
      ok: '😀',
      n: -0,
    });
  });

  it('gives a clean value back as it is', () => {
    const value = { a: ['b', { c: '\\u0000' }], d: null, e: 1.5 };
    expect(wellFormed(value)).toBe(value);
  });

  it('keeps a key named __proto__ an ordinary key', () => {
    const mended = wellFormed(JSON.parse('{"__proto__": "a\\u0000"}') as JsonValue);
    expect(JSON.stringify(mended)).toBe('{"__proto__":"a\uFFFD"}');
  });

  it('leaves nothing that PostgreSQL refuses, whatever comes in', () => {
    fc.assert(
      fc.property(json as fc.Arbitrary<JsonValue>, (value) => strings(wellFormed(value)).every(isWellFormedText)),
    );
  });
});

describe('wellFormedJson', () => {
  it('is the JSON of the mended value, whatever comes in', () => {
    fc.assert(
      fc.property(
        json as fc.Arbitrary<JsonValue>,
        (value) => wellFormedJson(value) === JSON.stringify(wellFormed(value)),
      ),
    );
  });

  it('keeps a backslash that only looks like an escaped NUL', () => {
    expect(wellFormedJson({ path: 'C:\\u0000' })).toBe('{"path":"C:\\\\u0000"}');
  });
});
