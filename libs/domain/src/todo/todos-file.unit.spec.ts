import { isBlankText } from '@phaseline/basics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTodosFile, renderTodosFile } from './todos-file.js';

const limits = { min: 5, max: 20 };
const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, content: `Step ${index + 1}` }));
const problems = (text: string | undefined) => {
  const result = checkTodosFile(text, limits);
  return result.ok ? [] : result.problems;
};

describe('the todos-file gate', () => {
  it.each([5, 20])('accepts a list of %i todos', (count) => {
    expect(checkTodosFile(renderTodosFile({ todos: items(count) }), limits)).toMatchObject({ ok: true });
  });

  it.each([
    ['a missing file', undefined, /does not exist/],
    ['a list that is too short', renderTodosFile({ todos: items(4) }), /5 to 20 todos, found 4/],
    ['a list that is too long', renderTodosFile({ todos: items(21) }), /5 to 20 todos, found 21/],
    ['no list', 'phase: one', /list named 'todos'/],
    ['a list of something else', 'todos: seven', /list named 'todos'/],
    ['broken YAML, with its line', 'todos:\n  - id: 1\n   content: x', /not valid YAML.*line 3/],
    [
      'an id that is not an integer',
      renderTodosFile({ todos: [...items(4), { id: 1.5, content: 'x' }] }),
      /todo 5: 'id' must be an integer/,
    ],
    [
      'an id that is used twice',
      renderTodosFile({ todos: [...items(4), { id: 2, content: 'x' }] }),
      /id 2 is used more than once/,
    ],
    ['an empty content', renderTodosFile({ todos: [...items(4), { id: 9, content: '  ' }] }), /todo 5: 'content'/],
    ['an item that is not a mapping', `todos: [1, 2, 3, 4, 5]`, /todo 1 must be a mapping/],
    ['a file that is too large', 'x'.repeat(300_000), /300000 characters/],
  ])('rejects %s', (_what, text, expected) => {
    expect(problems(text).join(' ')).toMatch(expected);
  });

  it('reads back any list that todo_write renders', () => {
    const content = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !isBlankText(text));
    fc.assert(
      fc.property(fc.array(content, { minLength: 5, maxLength: 20 }), (contents) => {
        const todos = contents.map((text, index) => ({ id: index, content: text }));
        const result = checkTodosFile(renderTodosFile({ todos }), limits);
        expect(result).toEqual({
          ok: true,
          plan: { todos: todos.map((todo) => ({ id: todo.id, content: todo.content.trim(), status: 'open' })) },
        });
      }),
    );
  });

  it('never throws for any content of the file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        checkTodosFile(text, limits);
      }),
    );
  });
});
