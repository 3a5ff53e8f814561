import { z } from 'zod';
import { checkTodosFile, currentTodo, openTodos, renderTodosFile, TODOS_FILE } from '@phaseline/domain';
import { logTool, type ToolPack } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { encodeText } from '../workspace/file-text.js';

export const todoWrite = logTool({
  name: 'todo_write',
  description: `Writes the todos of the next phase to ${TODOS_FILE}, replacing what was planned there. Each todo is one concrete step that can be checked.`,
  input: z.object({
    phase: z.string().max(200).optional().describe('Name of the next phase'),
    description: z.string().max(2_000).optional().describe('What the phase is to achieve'),
    todos: z
      .array(
        z.object({ id: z.int().optional().describe('Counted from 1 when left out'), content: z.string().max(2_000) }),
      )
      .max(500),
  }),
  run: async ({ state }, input) => {
    const todos = input.todos.map((todo, index) => ({ id: todo.id ?? index + 1, content: todo.content }));
    const text = renderTodosFile({ phase: input.phase, description: input.description, todos });
    const verdict = checkTodosFile(text, state.start.todoLimits);
    if (!verdict.ok) throw new ToolError('bad_todos', `Not written: ${verdict.problems.join(' ')}`);
    return {
      content: `Wrote ${todos.length} todos to ${TODOS_FILE}.`,
      files: [{ path: TODOS_FILE, content: encodeText(text) }],
    };
  },
});

export const todoComplete = logTool({
  name: 'todo_complete',
  description:
    'Marks the current todo as done, once it really is. Todos are done in order; the next one becomes the current one.',
  input: z.object({ notes: z.string().max(4_000).optional().describe('What was done or found, for the archive') }),
  run: async ({ state, callId }, input) => {
    const todo = currentTodo(state.todos);
    if (!todo) throw new ToolError('no_open_todo', 'All todos are done already.');
    const left = openTodos(state.todos).length - 1;
    const next = currentTodo(state.todos.filter((other) => other.id !== todo.id));
    const follow = next
      ? `${left} left. Next: ${next.id}. ${next.content}`
      : 'That was the last one; the phase is checked now.';
    return {
      content: `Todo ${todo.id} is done. ${follow}`,
      facts: [
        { type: 'TodoCompleted', data: { todoId: todo.id, callId, ...(input.notes ? { note: input.notes } : {}) } },
      ],
    };
  },
});

export const jobComplete = logTool({
  name: 'job_complete',
  description:
    'Ends the whole job, once the plan is carried out and every deliverable exists. Only the last todo may still be open.',
  input: z.object({
    summary: z.string().min(1).max(20_000).describe('What was done'),
    deliverables: z
      .array(z.string().max(500))
      .max(200)
      .default([])
      .describe('Paths of the files that the job was asked for'),
    confidence: z.number().min(0).max(1).describe('How sure you are that the job is done well, 0 to 1'),
    notes: z.string().max(20_000).default('').describe('What a person should know or check'),
  }),
  run: async ({ state, callId }, input) => {
    const open = openTodos(state.todos);
    if (open.length > 1) {
      throw new ToolError(
        'todos_open',
        `${open.length} todos are open; complete them first. Current: ${open[0]!.id}. ${open[0]!.content}`,
      );
    }
    const { summary, confidence, notes } = input;
    // Normalised by the gate's own look-up: a deliverable is a path of the tree.
    const deliverables = input.deliverables.map((path) => path.replace(/^\.\//, ''));
    const done = open.map((todo) => ({ type: 'TodoCompleted' as const, data: { todoId: todo.id, callId } }));
    return {
      content: 'The completion is checked now.',
      facts: [
        ...done,
        { type: 'JobCompletionProposed', data: { callId, completion: { summary, deliverables, confidence, notes } } },
      ],
    };
  },
});

/** Planning, progress and completion. */
export const todosPack: ToolPack = { name: 'todos', tools: [todoWrite, todoComplete, jobComplete] };
