import { describe, expect, it } from 'vitest';
import { cleanJson, cleanText, errorText } from './clean-text.js';

describe('text that PostgreSQL refuses', () => {
  it('loses NUL and half pairs, and nothing else', () => {
    expect(cleanText('a\u0000b')).toBe('ab');
    expect(cleanText('a\ud800b')).toBe('a\ufffdb');
    expect(cleanText('grüße 👋\n')).toBe('grüße 👋\n');
  });

  it('is found in keys and at any depth', () => {
    expect(cleanJson({ 'k\u0000': [{ deep: '\udfff' }, 1, null, true] })).toEqual({
      k: [{ deep: '\ufffd' }, 1, null, true],
    });
  });

  it('a clean value is passed on as it is', () => {
    const value = { a: [1, { b: 'c' }], d: null };
    expect(cleanJson(value)).toBe(value);
  });

  it('a reason is never empty, and never longer than 2,000 characters, also when the cut halves a pair', () => {
    expect(errorText(new Error(''))).toBe('Error');
    expect(errorText(undefined)).toBe('undefined');
    expect(errorText('\u0000')).toBe('unknown error');
    const cut = errorText(new Error(`${'x'.repeat(1_999)}👋`));
    expect(cut).toBe(`${'x'.repeat(1_999)}\ufffd`);
  });
});
