import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leftBehind, obligationRef, resolveRef, uncovered, type Obligation } from './obligation.js';
import type { Todo } from './todo.js';
import { checkTodosFile, renderTodosFile, saysPlanComplete } from './todos-file.js';

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
  it('is settled by the same content or by its name, and by nothing else', () => {
    const list = [todo(1, ' Sort by colour '), todo(2, 'Anything', ['5-4']), todo(3, 'Write it')];
    expect(uncovered(owed, list).map(obligationRef)).toEqual(['2-4']);
  });

  it('can be named by its number alone where that is enough', () => {
    expect(resolveRef(3, owed)).toBe('2-3');
    expect(resolveRef('2-4', owed)).toBe('2-4');
    expect(resolveRef(4, owed)).toBeUndefined();
    expect(resolveRef('9-9', owed)).toBeUndefined();
  });

  it('is what is open of a list, and not what is done', () => {
    expect(leftBehind(7, [{ ...todo(1, 'A'), status: 'done' }, todo(2, 'B')])).toEqual([
      { phase: 7, id: 2, content: 'B' },
    ]);
  });
});

describe('the gate of a plan', () => {
  const limits = { min: 1, max: 20 };
  const check = (text: string) => checkTodosFile(text, limits, owed);

  it('names every todo that is missing, however many there are', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ phase: 2, id: index, content: `Thing ${index}` }));
    const verdict = checkTodosFile(renderTodosFile({ todos: [todo(1, 'Other')] }), limits, many);
    const message = verdict.ok ? '' : verdict.problems.join(' ');
    for (const one of many) expect(message).toContain(`${obligationRef(one)} "${one.content}"`);
  });

  it.each([
    ['a list of names', 'covers: [2-3, "2-4", 5-4]'],
    ['numbers, where they are enough', 'covers: [3, 2-4, 5-4]'],
  ])('takes %s', (_what, covers) => {
    expect(check(`todos:\n  - id: 1\n    content: All of it\n    ${covers}\n`)).toMatchObject({
      ok: true,
      plan: { todos: [{ covers: ['2-3', '2-4', '5-4'] }] },
    });
  });

  it('keeps no name of something that is not owed', () => {
    const verdict = checkTodosFile(renderTodosFile({ todos: [todo(1, 'A', ['2-3', 'x'])] }), limits);
    expect(verdict).toEqual({ ok: true, plan: { todos: [todo(1, 'A')] } });
  });

  it('passes a list if and only if each obligation is in it by word or by name', () => {
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
          const settled = obligations.every(
            (one) =>
              todos.some(({ content }) => content === one.content) ||
              todos.some(({ covers }) => covers.includes(obligationRef(one))),
          );
          expect(checkTodosFile(renderTodosFile({ todos }), limits, obligations).ok).toBe(settled);
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
  ])('%j says that nothing is left to plan: %s', (text, said) => {
    expect(saysPlanComplete(text)).toBe(said);
  });
});
