import { currentTodo, openTodos, type PhaseState } from '@phaseline/domain';
import type { InlineToolOutcome } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { requireNotRewound } from './rewind-tool.js';

/**
 * Completes the current todo. With `todoId`, completes it only if it is the current one: todos are done in order, so none can be
 * skipped. Throws ToolError when there is nothing to complete.
 */
export function completeTodo(
  state: PhaseState,
  callId: string,
  input: { readonly notes?: string | undefined; readonly todoId?: number },
): InlineToolOutcome {
  const todo = currentTodo(state.todos);
  if (!todo) throw new ToolError('no_open_todo', 'All todos are done already.');
  requireNotRewound(state);
  if (input.todoId !== undefined) requireCurrent(state, todo, input.todoId);
  const remaining = openTodos(state.todos).length - 1;
  const next = currentTodo(state.todos.filter((other) => other.id !== todo.id));
  const follow = next
    ? `${remaining} left. Next: ${next.id}. ${next.content}`
    : 'That was the last one; the phase is checked now.';
  return {
    content: `Todo ${todo.id} is done. ${follow}`,
    events: [
      { type: 'TodoCompleted', data: { todoId: todo.id, callId, ...(input.notes ? { note: input.notes } : {}) } },
    ],
  };
}

/** Throws ToolError when a call names another todo than the current one, because todos are done in order. */
export function requireCurrent(
  { todos }: PhaseState,
  current: { readonly id: number; readonly content: string },
  todoId: number,
): void {
  if (todoId === current.id) return;
  const requested = todos.find(({ id }) => id === todoId);
  if (!requested) throw new ToolError('no_such_todo', `There is no todo ${todoId}. Look at the list.`);
  if (requested.status === 'done') throw new ToolError('done_already', `Todo ${todoId} is done already.`);
  throw new ToolError(
    'not_current',
    `Todos are done in order, and todo ${todoId} is not the current one. Current: ${current.id}. ${current.content}`,
  );
}
