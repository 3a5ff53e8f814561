import { ToolError } from '@phaseline/contracts';
import { currentTodo, listBlockedTodos, type PhaseState, type Todo } from '@phaseline/domain';
import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { requireOpenTodo } from './complete-todo.js';
import { requireNotRewound } from './rewind-list.js';

/** Reports that a todo cannot be done at present. The agent continues with the others; people see the reason. */
export const blockTodo: ToolRun<typeof todosSpec, 'block_todo'> = async ({ state, callId }, input) => {
  requireNotRewound(state);
  const todo = requireOpenTodo(state, input.todo_id);
  if (todo.blocked !== undefined)
    throw new ToolError('already_blocked', `Todo ${todo.id} is already blocked: ${todo.blocked}`);
  const reason = input.reason.trim();
  if (reason === '') throw new ToolError('no_reason', 'Not blocked: state why the todo cannot be done at present.');
  const after = state.todos.list.map((other) => (other.id === todo.id ? { ...other, blocked: reason } : other));
  return {
    content: `Todo ${todo.id} is blocked. ${describeNext(currentTodo(after)!)}`,
    events: [{ type: 'TodoBlocked', data: { todoId: todo.id, reason, callId } }],
  };
};

export const unblockTodo: ToolRun<typeof todosSpec, 'unblock_todo'> = async ({ state, callId }, input) => {
  requireNotRewound(state);
  const [first] = listBlockedTodos(state.todos.list);
  const todo = requireOpenTodo(state, input.todo_id ?? first?.id);
  if (todo.blocked === undefined) throw new ToolError('not_blocked', describeNotBlocked(todo, input.todo_id));
  return {
    content: `Todo ${todo.id} is no longer blocked: ${todo.content}`,
    events: [{ type: 'TodoUnblocked', data: { todoId: todo.id, callId } }],
  };
};

/**
 * Throws ToolError if a todo is blocked. A call that ends the phase also completes the last todo; the agent said that it cannot be done, so it
 * has to say first that it can.
 */
export function requireNotBlocked({ todos: { list } }: PhaseState): void {
  const [blocked] = listBlockedTodos(list);
  if (!blocked) return;
  throw new ToolError(
    'todo_blocked',
    `Not executed: todo ${blocked.id} is blocked (${blocked.blocked}). Complete it first, or call unblock_todo if it can be done now.`,
  );
}

function describeNext({ id, content, blocked }: Todo): string {
  return blocked === undefined
    ? `Continue with todo ${id}: ${content}`
    : `All open todos are blocked, and the phase cannot end before they are done. Try to remove what blocks todo ${id}.`;
}

function describeNotBlocked({ id }: Todo, given: number | undefined): string {
  return given === undefined ? 'No todo is blocked.' : `Todo ${id} is not blocked.`;
}
