import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { currentTodo, listBlockedTodos, openTodos, type Todo } from '@phaseline/domain';

export const listTodos: ToolRun<typeof todosSpec, 'list_todos'> = async ({ state }) => {
  const current = currentTodo(state.todos.list);
  const lines = state.todos.list.map(
    (todo) => `${formatStatus(todo)} ${todo.id}. ${todo.content}${formatRemark(todo, current)}`,
  );
  return { content: lines.length > 0 ? lines.join('\n') : 'The list is empty.' };
};

export const getProgress: ToolRun<typeof todosSpec, 'get_progress'> = async ({ state }) => {
  const todos = state.todos.list;
  const open = openTodos(todos);
  const blocked = listBlockedTodos(todos);
  const begun = open.filter((todo) => todo.started && todo.blocked === undefined).length;
  const pending = open.length - begun - blocked.length;
  const done = todos.length - open.length;
  const share = todos.length === 0 ? 100 : (done / todos.length) * 100;
  return {
    content: `Progress: ${done} of ${todos.length} (${share.toFixed(1)} % done). In progress: ${begun}, pending: ${pending}${formatBlocked(blocked)}.`,
  };
};

export const getNextTodo: ToolRun<typeof todosSpec, 'get_next_todo'> = async ({ state }) => {
  const todo = currentTodo(state.todos.list);
  return { content: todo ? `${todo.id}. ${todo.content}${formatReason(todo)}` : 'All todos are done.' };
};

function formatBlocked(blocked: ReturnType<typeof listBlockedTodos>): string {
  if (blocked.length === 0) return '';
  return `, blocked: ${blocked.length} (${blocked.map(({ id, blocked: reason }) => `${id}: ${reason}`).join('; ')})`;
}

function formatReason({ blocked }: Todo): string {
  return blocked === undefined ? '' : ` (blocked: ${blocked})`;
}

function formatStatus({ status, started, blocked }: Todo): string {
  if (status === 'done') return '[x]';
  if (blocked !== undefined) return '[!]';
  return started ? '[~]' : '[ ]';
}

function formatRemark(todo: Todo, current: Todo | undefined): string {
  const { id, note } = todo;
  return `${id === current?.id ? '   ← CURRENT' : ''}${formatReason(todo)}${note === undefined ? '' : ` (note: ${note})`}`;
}
