import { describe, expect, it } from 'vitest';
import { fingerprintLine } from './fingerprint-line.js';

const same = (one: string, other: string): boolean => fingerprintLine(one) === fingerprintLine(other);

describe('the fingerprint of a line', () => {
  it.each([
    ['Exit code 1 after 3.2 s.', 'Exit code 1 after 11.9 s.'],
    ['12 passed (340 ms)', '12 passed (9ms)'],
    ['2026-03-01T10:11:12Z still there', '2026-03-02T00:00:59.120Z still there'],
    ['at 10:11:12 it was red', 'at 23:59:01 it was red'],
    ['commit 9f8e7d6c5b4a3210ffee', 'commit 00112233445566778899aabb'],
    ['request 018f3a52-7c1e-7000-8000-000000000001 done', 'request 7c1e018f-3a52-7000-9000-0000000000ff done'],
    ['object at 0x7ffe12', 'object at 0x5581aa'],
    ['  a   line\twith spaces ', 'a line with spaces'],
  ])('is the same for %j and %j', (one, other) => expect(same(one, other)).toBe(true));

  it.each([
    ['stage 3 of 9', 'stage 4 of 9'],
    ['14 % done', '15 % done'],
    ['12 passed', '13 passed'],
    ['due on 2026-03-01', 'due on 2026-03-02'],
    ['§ 147 AO', '§ 257 AO'],
    ['3 seats', '4 seats'],
    ['facade', 'decade'],
    ['version 1.2.3', 'version 1.2.4'],
  ])('differs between %j and %j', (one, other) => expect(same(one, other)).toBe(false));

  it('is undefined for a line without content', () => {
    expect(fingerprintLine('  ')).toBeUndefined();
    expect(fingerprintLine('}')).toBeUndefined();
  });
});
