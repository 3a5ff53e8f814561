import { describe, expect, it } from 'vitest';
import { locateJsonError } from './locate-json-error.js';

describe('the first syntax error', () => {
  it.each([
    ['{"agent": creator}', 1, 11, 'c'],
    ['{"agent": "a",}', 1, 15, '}'],
    ['[1,]', 1, 4, ']'],
    ['[1 2]', 1, 4, '2'],
    ['{"a" 1}', 1, 6, '1'],
    ['{a: 1}', 1, 2, 'a'],
    ['{"a": 1]', 1, 8, ']'],
    ['{\n  "a": 1,\n  "b": tru\n}', 3, 8, 't'],
    ['{"a": "unterminated}', 1, 7, '"'],
    ['{"a": "line\nbreak"}', 1, 7, '"'],
    ['{"a": "\\x"}', 1, 7, '"'],
    ['{"a": 01}', 1, 8, '1'],
    ['{} x', 1, 4, 'x'],
    ['{"a": 1', 1, 8, undefined],
    ['[', 1, 2, undefined],
    ['', 1, 1, undefined],
    ['   ', 1, 4, undefined],
    ["{'a': 1}", 1, 2, "'"],
    ['NaN', 1, 1, 'N'],
  ])('in %j is line %d, column %d', (text, line, column, found) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(locateJsonError(text)).toEqual({ line, column, found });
  });

  it.each([
    '{}',
    '[]',
    'null',
    '"a"',
    '-0.5e+10',
    '{"a":[{"b":"\\u00e4\\n"},[],{}], "c" : true}\n',
    '"\u007f\u0085"',
    '"🙂"',
    '"\ud800"',
  ])('does not exist in %j', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(locateJsonError(text)).toBeUndefined();
  });

  it('is not searched for in a huge text, and deep nesting does not exhaust the stack', () => {
    expect(locateJsonError('['.repeat(1_000_001))).toBeUndefined();
    expect(locateJsonError('['.repeat(900_000))).toEqual({ line: 1, column: 900_001, found: undefined });
  });
});
