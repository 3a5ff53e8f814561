import { z } from 'zod';

const todoStatuses = ['open', 'done'] as const;

export const todoSchema = z.object({
  id: z.int(),
  content: z.string().min(1),
  status: z.enum(todoStatuses),
  /** Note that the agent made when it completed the todo. */
  note: z.string().optional(),
  /** Set when the agent reported that it has started the todo. */
  started: z.literal(true).optional(),
  /** References (`<phase>-<todo>`) to obligations of earlier lists that this todo accounts for. */
  covers: z.array(z.string()).optional(),
});

/** One item of a phase's list. The first open todo is the current one; todos are done in order. */
export type Todo = z.infer<typeof todoSchema>;

export function currentTodo(todos: readonly Todo[]): Todo | undefined {
  return todos.find((todo) => todo.status === 'open');
}

export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter((todo) => todo.status === 'open');
}

/** Creates numbered, open todos from the predefined texts of a workflow. */
export function createTodos(contents: readonly string[]): readonly Todo[] {
  return contents.map((content, index) => ({ id: index + 1, content, status: 'open' }));
}
