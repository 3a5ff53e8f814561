import { z } from 'zod';

export const todoStatuses = ['open', 'done'] as const;

export const todoSchema = z.object({
  id: z.int(),
  content: z.string().min(1),
  status: z.enum(todoStatuses),
  /** What the agent noted when it completed the todo. */
  note: z.string().optional(),
  /** The agent said that it has begun. */
  started: z.literal(true).optional(),
  /** Obligations of lists before that this todo accounts for, as `phase-todo`. */
  covers: z.array(z.string()).optional(),
});

/** One obligation of a phase. The first open todo of the list is the current one; todos are done in order. */
export type Todo = z.infer<typeof todoSchema>;

export function currentTodo(todos: readonly Todo[]): Todo | undefined {
  return todos.find((todo) => todo.status === 'open');
}

export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter((todo) => todo.status === 'open');
}

/** Numbered, open todos out of plain sentences, as a workflow's predefined lists give them. */
export function predefinedTodos(contents: readonly string[]): readonly Todo[] {
  return contents.map((content, index) => ({ id: index + 1, content, status: 'open' }));
}
