import { jobStatuses } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { jobStatusNames } from './job-status-names.js';
import {
  createChoiceCollector,
  collectList,
  parseDollars,
  collectLabel,
  parsePosition,
  createWholeNumberParser,
} from './option-values.js';

describe('option values', () => {
  it.each(['-1', '1.5', '', 'abc', '1e3', '0x10', '99999999999999999999', ' 1'])('reject %j as a position', (text) => {
    expect(() => parsePosition(text)).toThrow(/whole number/);
  });

  it('accept the bounds of a whole number', () => {
    const port = createWholeNumberParser(1, 65_535);
    expect([port('1'), port('65535')]).toEqual([1, 65_535]);
    for (const text of ['0', '65536']) expect(() => port(text)).toThrow(/from 1 to 65535/);
  });

  it.each(['0', '-2', '1,50', '$2', 'NaN', 'Infinity', '1e9', '0.0000001'])(
    'reject %j as an amount of money',
    (text) => {
      expect(() => parseDollars(text)).toThrow(/above 0/);
    },
  );

  it('accept cents', () => expect(parseDollars('2.50')).toBe(2.5));

  it('split labels at the first equals sign only', () => {
    expect(collectLabel('query=a=b', {})).toEqual({ query: 'a=b' });
    expect(collectLabel('empty=', {})).toEqual({ empty: '' });
  });

  it.each(['noequals', '=value', ''])('reject %j as a label', (text) =>
    expect(() => collectLabel(text, {})).toThrow(/KEY=VALUE/),
  );

  it('reject a label that is given twice', () => {
    expect(() => collectLabel('a=2', { a: '1' })).toThrow(/twice/);
  });

  it('accept comma-separated and repeated values', () => {
    expect(collectList('A,B', collectList('C', []))).toEqual(['C', 'A', 'B']);
  });

  it('list the known values if one is unknown', () => {
    expect(() => createChoiceCollector(['a', 'b'])('a,c', [])).toThrow('Expected one of a, b.');
  });
});

describe('the values of --status', () => {
  it('are the statuses of the API', () => {
    expect([...jobStatusNames].sort()).toEqual([...jobStatuses].sort());
  });
});
