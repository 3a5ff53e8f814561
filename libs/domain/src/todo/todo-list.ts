import { currentTodo, openTodos, type Todo } from './todo.js';

/** The list with one more todo at its end. */
export function addTodo(
  todos: readonly Todo[],
  { todoId, content }: { readonly todoId: number; readonly content: string },
): readonly Todo[] {
  return [...todos, { id: todoId, content, status: 'open' }];
}

/** The list with that todo begun. */
export function startTodo(todos: readonly Todo[], todoId: number): readonly Todo[] {
  return todos.map((todo) => (todo.id === todoId ? { ...todo, started: true as const } : todo));
}

/** The id of the next todo that is added. Nothing is ever taken off a list, so an id is not used twice. */
export function nextTodoId(todos: readonly Todo[]): number {
  const used = new Set(todos.map(({ id }) => id));
  let id = todos.length + 1;
  while (used.has(id)) id += 1;
  return id;
}

/**
 * The open todos that were begun: those that the agent said so of, else the current one, provided that anything was done at
 * all. Work goes in order, so there is at most one without a word of the agent.
 */
export function todosInProgress(todos: readonly Todo[]): readonly Todo[] {
  const open = openTodos(todos);
  const said = open.filter(({ started }) => started);
  const current = currentTodo(todos);
  return said.length > 0 || !current ? said : [current];
}
