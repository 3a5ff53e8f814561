import { expect, it } from 'vitest';
import { parseByteRange } from './byte-range.js';

it.each([
  ['bytes=0-9', { offset: 0, length: 10 }],
  ['bytes=90-', { offset: 90, length: 10 }],
  ['bytes=90-1000', { offset: 90, length: 10 }],
  ['bytes=-7', { offset: 93, length: 7 }],
  ['bytes=-700', { offset: 0, length: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-5', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,5-6', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
])('%s of 100 bytes is %j', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});
