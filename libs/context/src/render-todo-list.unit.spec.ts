import { expect, it } from 'vitest';
import { foldPhase } from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { renderTodoList } from './render-todo-list.js';

const todo = (id: number, blocked?: string) => ({
  id,
  content: `Do thing ${id}`,
  status: 'open' as const,
  ...(blocked === undefined ? {} : { blocked }),
});
const render = (...todos: ReturnType<typeof todo>[]): string =>
  renderTodoList(foldPhase([buildPhaseStart({ plan: { todos } })])!);

it('a blocked todo is shown with its reason in one line, and the next one is the current one', () => {
  const text = render(todo(1, 'No access\nto the archive.'), todo(2));
  expect(text).toContain(
    '[!] 1. Do thing 1\n      BLOCKED: No access to the archive.\n[ ] 2. Do thing 2   ← CURRENT\n',
  );
  expect(text).toContain('Progress: 0 of 2 done, 1 blocked\n');
  expect(text).toContain('NEXT: work on todo 2.');
});

it('the list says that the phase cannot end when all open todos are blocked', () => {
  const text = render(todo(1, 'a'.repeat(5_000)), todo(2, 'No access.'));
  expect(text).toContain('[!] 1. Do thing 1   ← CURRENT\n      BLOCKED: aaa');
  expect(text).toContain('NEXT: all open todos are blocked, and the phase cannot end before they are done.');
  expect(text.length).toBeLessThan(2_000);
});
