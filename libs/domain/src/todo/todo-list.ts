import { currentTodo, openTodos, type Todo } from './todo.js';

/** Appends a todo to the list. */
export function addTodo(
  todos: readonly Todo[],
  { todoId, content, outputs }: Pick<Todo, 'content' | 'outputs'> & { readonly todoId: number },
): readonly Todo[] {
  return [...todos, { id: todoId, content, status: 'open', ...(outputs ? { outputs } : {}) }];
}

/** Marks a todo as started. */
export function startTodo(todos: readonly Todo[], todoId: number): readonly Todo[] {
  return todos.map((todo) => (todo.id === todoId ? { ...todo, started: true as const } : todo));
}

/** Id for the next added todo. Todos are never removed from a list, so ids are never reused. */
export function nextTodoId(todos: readonly Todo[]): number {
  const used = new Set(todos.map(({ id }) => id));
  let id = todos.length + 1;
  while (used.has(id)) id += 1;
  return id;
}

/**
 * The open todos that are in progress: those that the agent reported as started and not as blocked, or else the current one, because
 * todos are done in order.
 */
export function todosInProgress(todos: readonly Todo[]): readonly Todo[] {
  const reported = openTodos(todos).filter(({ started, blocked }) => started && blocked === undefined);
  const current = currentTodo(todos);
  return reported.length > 0 || !current ? reported : [current];
}
