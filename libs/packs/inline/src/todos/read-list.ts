import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { currentTodo, openTodos, type Todo } from '@phaseline/domain';

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
  const begun = open.filter(({ started }) => started).length;
  const done = todos.length - open.length;
  const share = todos.length === 0 ? 100 : (done / todos.length) * 100;
  return {
    content: `Progress: ${done} of ${todos.length} (${share.toFixed(1)} % done). In progress: ${begun}, pending: ${open.length - begun}.`,
  };
};

export const getNextTodo: ToolRun<typeof todosSpec, 'get_next_todo'> = async ({ state }) => {
  const todo = currentTodo(state.todos.list);
  return { content: todo ? `${todo.id}. ${todo.content}` : 'All todos are done.' };
};

function formatStatus({ status, started }: Todo): string {
  if (status === 'done') return '[x]';
  return started ? '[~]' : '[ ]';
}

function formatRemark({ id, note }: Todo, current: Todo | undefined): string {
  return `${id === current?.id ? '   ← CURRENT' : ''}${note === undefined ? '' : ` (note: ${note})`}`;
}
