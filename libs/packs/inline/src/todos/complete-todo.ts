import type { CheckEvidence } from '@phaseline/checks';
import {
  currentTodo,
  listBlockedTodos,
  openTodos,
  type PhaseEvent,
  type PhaseState,
  type Todo,
} from '@phaseline/domain';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';
import { ToolError, type CallId } from '@phaseline/contracts';
import { claimTodo } from './claim-todo.js';
import { requireNotRewound } from './rewind-list.js';

/**
 * Completes the current todo. With `todo_id`, completes it only if it is the current one, or one that was blocked: todos are done in
 * order, so none can be skipped. Throws ToolError when there is nothing to complete.
 */
export async function completeTodo(
  context: InlineToolContext,
  { notes, todo_id: todoId }: { readonly notes?: string | undefined; readonly todo_id?: number },
): Promise<InlineToolOutcome> {
  const { state, callId } = context;
  requireCurrentTodo(state);
  requireNotRewound(state);
  const todo = findBlocked(state, todoId) ?? requireCurrentTodo(state, todoId);
  const claim = await claimTodo(context, todo);
  if ('unsettled' in claim) return claim.unsettled;
  const remaining = openTodos(state.todos.list).length - 1;
  const next = currentTodo(state.todos.list.filter((other) => other.id !== todo.id));
  const follow = next
    ? `${remaining} left. Next: ${next.id}. ${next.content}${next.blocked === undefined ? '' : ` (blocked: ${next.blocked})`}`
    : 'This was the last todo. The result of the phase is being checked.';
  return {
    content: `Todo ${todo.id} is done. ${follow}`,
    events: [...claim.accepted, buildTodoCompleted(todo, callId, claim.evidence, notes)],
  };
}

/**
 * Returns the current todo. Throws ToolError when all are done, and when the call names another one with `todoId`, because todos are
 * done in order.
 */
export function requireCurrentTodo(state: PhaseState, todoId?: number): Todo {
  const current = requireOpenTodo(state);
  if (requireOpenTodo(state, todoId).id === current.id) return current;
  throw new ToolError(
    'not_current',
    `Todos are completed in order, and todo ${todoId} is not the current one. Current: ${current.id}. ${current.content}`,
  );
}

/** Returns the open todo with this id, or the current one. Throws ToolError when there is none. */
export function requireOpenTodo({ todos: { list: todos } }: PhaseState, todoId?: number): Todo {
  const current = currentTodo(todos);
  if (!current) throw new ToolError('no_open_todo', 'All todos are already done.');
  if (todoId === undefined) return current;
  const requested = todos.find(({ id }) => id === todoId);
  if (!requested) throw new ToolError('no_such_todo', `There is no todo ${todoId}. Read the list.`);
  if (requested.status === 'done') throw new ToolError('already_done', `Todo ${todoId} is already done.`);
  return requested;
}

/** Finds a blocked todo by its id. It was put aside, so it may be completed although another one is the current one. */
function findBlocked({ todos: { list } }: PhaseState, todoId: number | undefined): Todo | undefined {
  return listBlockedTodos(list).find(({ id }) => id === todoId);
}

/** Builds the event of a completed todo. */
export function buildTodoCompleted(
  { id }: Todo,
  callId: CallId,
  evidence: readonly CheckEvidence[],
  note?: string,
): Extract<PhaseEvent, { readonly type: 'TodoCompleted' }> {
  return {
    type: 'TodoCompleted',
    data: {
      todoId: id,
      callId,
      ...(note ? { note } : {}),
      ...(evidence.length > 0 ? { evidence: [...evidence] } : {}),
    },
  };
}
