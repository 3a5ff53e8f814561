import { describe, expect, it } from 'vitest';
import { formatClock, formatCount, formatDateTime, formatDuration, pluralise } from './format.js';

describe('formatCount', () => {
  it.each([0, 7, -1, 999, 1_000, -1_000, 12_345, 123_456, 1_234_567, -9_876_543_210])(
    'writes %d as browsers do for American English',
    (count) => expect(formatCount(count)).toBe(count.toLocaleString('en-US')),
  );

  it('is followed by a plural where needed', () => {
    expect([0, 1, 2_000].map((count) => pluralise(count, 'job'))).toEqual(['0 jobs', '1 job', '2,000 jobs']);
  });
});

describe('points in time', () => {
  // Without a zone, a text is in the zone of this process, as everywhere on the pages.
  it('have digits for every part of the clock', () => {
    expect(formatClock('2026-03-01T00:05:09.007')).toBe('00:05:09');
    expect(formatClock('2026-03-01T00:05:09.007', true)).toBe('00:05:09.007');
  });

  it('name the month', () => {
    expect(formatDateTime('2026-09-01T14:05:09')).toBe('1 Sep 2026, 14:05:09');
    expect(formatDateTime('2026-12-31T23:59:59')).toBe('31 Dec 2026, 23:59:59');
  });
});

describe('formatDuration', () => {
  it.each([
    [45, '45 ms'],
    [3_210, '3.2 s'],
    [59_999, '59 s'],
    [250_000, '4 min 10 s'],
    [7_200_000, '2 h'],
    [273_600_000, '3 d 4 h'],
  ])('writes %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
