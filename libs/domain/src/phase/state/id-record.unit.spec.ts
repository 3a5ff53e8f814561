import { expect, it } from 'vitest';
import { createIdRecord, withValue } from './id-record.js';

it('copies a record with a value added or replaced, in the order of the first values', () => {
  const one = withValue({}, 'a', 1);
  const two = withValue(one, 'b', 2);
  const replaced = withValue(two, 'a', 3);
  expect([one, two].map((record) => Object.entries(record))).toEqual([
    [['a', 1]],
    [
      ['a', 1],
      ['b', 2],
    ],
  ]);
  expect(Object.entries(replaced)).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
});

it('has no prototype, so that every id is a member like any other and V8 creates no hidden class for it', () => {
  expect(Object.getPrototypeOf(createIdRecord())).toBeNull();
  const record = withValue(createIdRecord<number>(), '__proto__', 1);
  expect(Object.getPrototypeOf(record)).toBeNull();
  expect(Object.keys(record)).toEqual(['__proto__']);
});
