import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, fit, padEnd } from './display-width.js';
import { toPrintable, toPrintableLines } from './printable.js';
import { formatAge, formatBytes, formatClock, pluralise, formatCount, formatUsd } from './quantities.js';
import { renderTable } from './table.js';

describe('printable text', () => {
  it.each([
    ['a\u001b[31mb', 'a·[31mb'],
    ['one\r\n  two\tthree', 'one two three'],
    ['right\u202eleft', 'right·left'],
    ['bell\u0007 c1\u009b', 'bell· c1·'],
    ['half \ud800', 'half \ufffd'],
    ['Größe 漢字 👍🏽', 'Größe 漢字 👍🏽'],
  ])('turns %j into %j', (given, expected) => {
    expect(toPrintable(given)).toBe(expected);
  });

  it('of a file keeps line breaks and tabs, but no other control characters', () => {
    expect(toPrintableLines('a\tb\r\nc\u001b[2Jd\u0000\n')).toBe('a\tb\nc·[2Jd·\n');
  });
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['é', 1],
    ['👍', 2],
    ['한글', 4],
  ])('of %s is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('never exceeds the limit given to fit, which leaves a fitting text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, columns) => {
        const fitted = fit(text, columns);
        expect(displayWidth(fitted)).toBeLessThanOrEqual(columns);
        if (columns > 0 && displayWidth(text) <= columns) expect(fitted).toBe(text);
      }),
    );
  });

  it('is padded by columns, not by characters', () => {
    expect(padEnd('漢', 4)).toBe('漢  ');
  });
});

describe('quantities', () => {
  it.each([
    [0, '0'],
    [9_999, '9999'],
    [12_345, '12.3k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [4_560_000, '4.56M'],
  ])('%i is formatted as %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [0, '$0.00'],
    [7, '$0.000007'],
    [1_200, '$0.0012'],
    [23_400, '$0.0234'],
    [2_345_678, '$2.35'],
  ])('%i micro-USD is formatted as %s', (cost, text) => expect(formatUsd(cost)).toBe(text));

  it.each([
    [-5, '0:00'],
    [59_999, '0:59'],
    [754_000, '12:34'],
    [3_723_000, '1:02:03'],
  ])('%i ms is formatted as the duration %s', (ms, text) => expect(formatClock(ms)).toBe(text));

  it.each([
    [340, '340 ms'],
    [59_000, '59 s'],
    [61_000, '1 min'],
    [7_200_000, '2 h'],
    [200_000_000, '2 d'],
  ])('%i ms is formatted as the age %s', (ms, text) => expect(formatAge(ms)).toBe(text));

  it.each([
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [52_428_800, '50 MiB'],
    [1_073_741_823, '1 GiB'],
  ])('%i bytes is formatted as %s', (count, text) => expect(formatBytes(count)).toBe(text));

  it('are formatted with a singular or plural noun', () => {
    expect([pluralise(1, 'job'), pluralise(2, 'job'), pluralise(0, 'reply', 'replies')]).toEqual([
      '1 job',
      '2 jobs',
      '0 replies',
    ]);
  });
});

describe('a table', () => {
  const columns = [
    { title: 'NAME', cell: (row: { name: string; size: number }) => row.name },
    { title: 'SIZE', align: 'right' as const, cell: (row: { name: string; size: number }) => String(row.size) },
    { title: 'NOTE', cell: (row: { name: string; size: number }) => `note of ${row.name}` },
  ];

  it('aligns its columns, including wide characters', () => {
    expect(
      renderTable(columns, [
        { name: 'a', size: 1_000 },
        { name: '漢字漢', size: 2 },
      ]),
    ).toEqual(['NAME    SIZE  NOTE', 'a       1000  note of a', '漢字漢     2  note of 漢字漢']);
  });

  it('cuts only its last column to the width', () => {
    expect(renderTable(columns, [{ name: 'long enough', size: 1 }], { width: 28 })[1]).toBe(
      'long enough     1  note of …',
    );
  });
});
