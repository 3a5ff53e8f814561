import { describe, expect, it } from 'vitest';
import { cleanJson, cleanText, describeError } from './clean-text.js';

describe('text that PostgreSQL rejects', () => {
  it('has NUL removed and lone surrogates replaced, and is otherwise unchanged', () => {
    expect(cleanText('a\u0000b')).toBe('ab');
    expect(cleanText('a\ud800b')).toBe('a\ufffdb');
    expect(cleanText('grüße 👋\n')).toBe('grüße 👋\n');
  });

  it('is cleaned in keys and at any depth', () => {
    expect(cleanJson({ 'k\u0000': [{ deep: '\udfff' }, 1, null, true] })).toEqual({
      k: [{ deep: '\ufffd' }, 1, null, true],
    });
  });

  it('returns the same value if nothing has to be cleaned', () => {
    const value = { a: [1, { b: 'c' }], d: null };
    expect(cleanJson(value)).toBe(value);
  });

  it('gives an error text of 1 to 2,000 characters, even if the cut splits a surrogate pair', () => {
    expect(describeError(new Error(''))).toBe('Error');
    expect(describeError(undefined)).toBe('undefined');
    expect(describeError('\u0000')).toBe('unknown error');
    const cut = describeError(new Error(`${'x'.repeat(1_999)}👋`));
    expect(cut).toBe(`${'x'.repeat(1_999)}\ufffd`);
  });
});
