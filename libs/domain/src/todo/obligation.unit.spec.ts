import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  listOpenObligations,
  obligationRef,
  resolveObligationRef,
  findUncovered,
  type Obligation,
} from './obligation.js';
import type { Todo } from './todo.js';
import { checkTodosFile, renderTodosFile, isPlanComplete } from './todos-file.js';

const owed: readonly Obligation[] = [
  { phase: 2, id: 3, content: 'Sort by colour' },
  { phase: 2, id: 4, content: 'Write' },
  { phase: 5, id: 4, content: 'Check' },
];
const todo = (id: number, content: string, covers?: string[]): Todo => ({
  id,
  content,
  status: 'open',
  ...(covers ? { covers } : {}),
});

describe('an obligation', () => {
  it('is covered only by the same content or by its reference', () => {
    const list = [todo(1, ' Sort by colour '), todo(2, 'Anything', ['5-4']), todo(3, 'Write it')];
    expect(findUncovered(owed, list).map(obligationRef)).toEqual(['2-4']);
  });

  it('can be referenced by its id alone if that is unambiguous', () => {
    expect(resolveObligationRef(3, owed)).toBe('2-3');
    expect(resolveObligationRef('2-4', owed)).toBe('2-4');
    expect(resolveObligationRef(4, owed)).toBeUndefined();
    expect(resolveObligationRef('9-9', owed)).toBeUndefined();
  });

  it('is made of an open todo, not of a done one', () => {
    expect(listOpenObligations(7, [{ ...todo(1, 'A'), status: 'done' }, todo(2, 'B')])).toEqual([
      { phase: 7, id: 2, content: 'B' },
    ]);
  });
});

describe('the todos-file gate', () => {
  const limits = { min: 1, max: 20 };
  const check = (text: string) => checkTodosFile(text, limits, owed);

  it('names every missing todo, however many there are', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ phase: 2, id: index, content: `Thing ${index}` }));
    const result = checkTodosFile(renderTodosFile({ todos: [todo(1, 'Other')] }), limits, many);
    const message = result.ok ? '' : result.problems.join(' ');
    for (const one of many) expect(message).toContain(`${obligationRef(one)} "${one.content}"`);
  });

  it.each([
    ['a list of references', 'covers: [2-3, "2-4", 5-4]'],
    ['ids, where they are unambiguous', 'covers: [3, 2-4, 5-4]'],
  ])('accepts %s', (_what, covers) => {
    expect(check(`todos:\n  - id: 1\n    content: All of it\n    ${covers}\n`)).toMatchObject({
      ok: true,
      plan: { todos: [{ covers: ['2-3', '2-4', '5-4'] }] },
    });
  });

  it('drops references to todos that are not owed', () => {
    const result = checkTodosFile(renderTodosFile({ todos: [todo(1, 'A', ['2-3', 'x'])] }), limits);
    expect(result).toEqual({ ok: true, plan: { todos: [todo(1, 'A')] } });
  });

  it('accepts a list if and only if it contains or references each obligation', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D', 'E');
    const obligation = fc.record({
      phase: fc.integer({ min: 1, max: 3 }),
      id: fc.integer({ min: 1, max: 4 }),
      content: name,
    });
    const item = fc.record({
      content: name,
      covers: fc.array(
        fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })).map((ref) => ref.join('-')),
      ),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(obligation, { selector: obligationRef, maxLength: 6 }),
        fc.array(item, { minLength: 1, maxLength: 6 }),
        (obligations, items) => {
          const todos = items.map((each, index) => ({ id: index + 1, ...each }));
          const isCovered = obligations.every(
            (one) =>
              todos.some(({ content }) => content === one.content) ||
              todos.some(({ covers }) => covers.includes(obligationRef(one))),
          );
          expect(checkTodosFile(renderTodosFile({ todos }), limits, obligations).ok).toBe(isCovered);
        },
      ),
    );
  });
});

describe('a todos file', () => {
  it.each([
    ['plan_complete: true\n', true],
    ['plan_complete: true\ntodos: []\n', true],
    ['plan_complete: true\ntodos: [{id: 1, content: x}]\n', false],
    ['plan_complete: "true"\n', false],
    ['plan_complete: yes\ntodos: 3', false],
    ['todos: []', false],
    ['plan_complete: [', false],
    [undefined, false],
  ])('%j means that nothing is left to plan: %s', (text, expected) => {
    expect(isPlanComplete(text)).toBe(expected);
  });
});
