import { describe, expect, it } from 'vitest';
import { currentTodo, listBlockedTodos, type Todo } from './todo.js';
import { todosInProgress } from './todo-list.js';

const todo = (id: number, more: Partial<Todo> = {}): Todo => ({ id, content: `Do ${id}`, status: 'open', ...more });
const done = { status: 'done' } as const;
const blocked = { blocked: 'No access.' };

describe('a blocked todo', () => {
  it('comes after those that can be done, and is the current one when only blocked ones are left', () => {
    expect(currentTodo([todo(1, blocked), todo(2, done), todo(3)])?.id).toBe(3);
    // The phase ends when there is no current todo, so a block never ends it.
    expect(currentTodo([todo(1, done), todo(2, blocked), todo(3, blocked)])?.id).toBe(2);
    expect(currentTodo([todo(1, done)])).toBeUndefined();
  });

  it('is not in progress, so work is that of the todo with which the agent continues', () => {
    expect(todosInProgress([todo(1, { ...blocked, started: true }), todo(2)]).map(({ id }) => id)).toEqual([2]);
  });

  it('is listed only while it is open', () => {
    expect(listBlockedTodos([todo(1, { ...done, ...blocked }), todo(2, blocked), todo(3)])).toEqual([todo(2, blocked)]);
  });
});
