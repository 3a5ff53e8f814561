import { describe, expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const read = (headers: Record<string, string>): number | undefined => readRetryAfter(new Headers(headers), now);

describe('readRetryAfter', () => {
  it('reads seconds, milliseconds or a date', () => {
    expect(read({ 'retry-after': '2' })).toBe(2_000);
    expect(read({ 'retry-after': '0.25' })).toBe(250);
    expect(read({ 'retry-after-ms': '1500', 'retry-after': '60' })).toBe(1_500);
    expect(read({ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' })).toBe(30_000);
  });

  it.each<Record<string, string>>([
    { 'retry-after': '9'.repeat(400) },
    { 'retry-after-ms': '9007199254740991' },
    { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  ])('caps the delay at a week: %j', (headers) => {
    expect(read(headers)).toBe(7 * 86_400_000);
  });

  it('returns 0 for a date in the past, and undefined for an invalid value', () => {
    expect(read({ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' })).toBe(0);
    expect(read({ 'retry-after': 'soon' })).toBeUndefined();
    expect(read({})).toBeUndefined();
  });
});
