import { describe, expect, it } from 'vitest';
import { findExcess, JsonScan } from './json-scan.js';

const bounds = { bytes: 1_000_000, values: 10, depth: 4 };

describe('JsonScan', () => {
  it.each([
    ['{}', undefined],
    [JSON.stringify({ a: 1, b: [1, 2, 3], c: { d: 'e' } }), undefined],
    [JSON.stringify('[[[[[[[[{{{{{{,,,,,,,,,,,,,,,,,,,,')!, undefined],
    [JSON.stringify({ text: '\\"[[[[[[\\\\",,,,,,,,,,,,,,,,"' }), undefined],
    [JSON.stringify(Array.from({ length: 10 }, () => 0)), undefined],
    [JSON.stringify(Array.from({ length: 11 }, () => 0)), 'values'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, key) => [`k${key}`, 0]))), 'values'],
    ['[[[[]]]]', undefined],
    ['[[[[[]]]]]', 'depth'],
    [`"${'x'.repeat(1_000_000)}"`, 'bytes'],
  ])('reports for %.40s the exceeded limit %s', (text, excess) => expect(findExcess(text, bounds)).toBe(excess));

  it('gives the same result however the text is split into chunks', () => {
    const text = JSON.stringify({
      a: 'quote " and \\ and [[[[[[',
      b: [1, { c: ['ü', '€', '😀'] }],
      d: ',,,,,,,,,,,,,,',
    });
    for (let size = 1; size < 12; size += 1) {
      const scan = new JsonScan(bounds);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) scan.add(bytes.subarray(at, at + size));
      expect([size, scan.excess]).toEqual([size, undefined]);
    }
  });
});
