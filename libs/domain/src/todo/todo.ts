import { storedChecksSchema } from '@phaseline/checks';
import { z } from 'zod';
import type { PredefinedTodo } from '../workflow/workflow.js';

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
  /** What must hold before the todo is done. */
  outputs: storedChecksSchema.optional(),
  /** Why the todo cannot be done at present. It stays open, and the phase cannot end. */
  blocked: z.string().min(1).optional(),
  /** Order in which todos are handed over with a plan: lower numbers first. */
  priority: z.int().min(0).max(1_000).optional(),
});

/** One item of a phase's list. Todos are done in order, and those that are blocked come last. */
export type Todo = z.infer<typeof todoSchema>;

/**
 * The todo to work on: the first open one that is not blocked, so that the agent continues with what it can do. If all open todos are
 * blocked it is the first of them, because the phase cannot end without it.
 */
export function currentTodo(todos: readonly Todo[]): Todo | undefined {
  const open = openTodos(todos);
  return open.find(({ blocked }) => blocked === undefined) ?? open[0];
}

export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter((todo) => todo.status === 'open');
}

/** The open todos that are blocked, each with its reason. */
export function listBlockedTodos(todos: readonly Todo[]): readonly (Todo & { readonly blocked: string })[] {
  return openTodos(todos).flatMap((todo) => (todo.blocked === undefined ? [] : [{ ...todo, blocked: todo.blocked }]));
}

/** Creates numbered, open todos from those that a workflow predefines. */
export function createTodos(predefined: readonly PredefinedTodo[]): readonly Todo[] {
  return predefined.map((todo, index) => {
    const { content, checks } = typeof todo === 'string' ? { content: todo, checks: undefined } : todo;
    return { id: index + 1, content, status: 'open', ...(checks ? { outputs: checks } : {}) };
  });
}
