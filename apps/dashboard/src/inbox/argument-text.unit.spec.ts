import { expect, it } from 'vitest';
import { parseArguments, renderArguments } from './argument-text.js';

it('writes texts of several lines as they are, and other values as JSON', () => {
  expect(renderArguments({ path: 'a.md', content: 'one\ntwo\n', count: 3, list: [] })).toBe(
    'path: a.md\ncontent:\none\ntwo\ncount: 3\nlist: []',
  );
});

it('accepts only JSON objects, and says what is wrong with others', () => {
  expect(parseArguments('{"a":1}')).toEqual({ value: { a: 1 } });
  expect(parseArguments('[1]')).toEqual({ problem: 'Expected a JSON object with the names of the arguments.' });
  expect(parseArguments('null')).toEqual({ problem: 'Expected a JSON object with the names of the arguments.' });
  expect(parseArguments('{')).toEqual({ problem: expect.stringMatching(/^This is not JSON: /) });
});
