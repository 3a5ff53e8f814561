import { z } from 'zod';
import { currentTodo, nextTodoId, openTodos, type PhaseState, type Todo } from '@phaseline/domain';
import { defineInlineTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { completeTodo, requireCurrent } from './complete-todo.js';
import { requireNotRewound, createRewindEvent } from './rewind-tool.js';

const todoId = z.int().describe('Number of the todo in the list');

const addTodo = defineInlineTool({
  name: 'add_todo',
  description: 'Adds one todo to the end of the current list: a concrete step that can be checked.',
  input: z.object({ content: z.string().max(2_000).describe('What is to be done, and when it is done') }),
  run: async ({ state, callId }, input) => {
    requireNotRewound(state);
    if (state.proposal) throw new ToolError('completion_asked', 'Not added: the end of the job is being checked.');
    const content = input.content.trim();
    if (content === '') throw new ToolError('bad_todos', 'Not added: a todo needs a text.');
    const { max } = state.start.todoLimits;
    if (state.todos.length >= max)
      throw new ToolError(
        'too_many_todos',
        `Not added: a list has at most ${max} todos, those that are done included.`,
      );
    const same = openTodos(state.todos).find((todo) => todo.content === content);
    if (same) throw new ToolError('todo_exists', `Not added: todo ${same.id} says the same and is open.`);
    const id = nextTodoId(state.todos);
    return {
      content: `Added todo ${id}. ${openTodos(state.todos).length + 1} are open.`,
      events: [{ type: 'TodoAdded', data: { todoId: id, content, callId } }],
    };
  },
});

const startTodo = defineInlineTool({
  name: 'start_todo',
  description: 'Marks the current todo as being worked on. Todos are done in order, so only the current one can begin.',
  input: z.object({ todo_id: todoId }),
  run: async ({ state, callId }, input) => {
    requireNotRewound(state);
    const todo = requireCurrentTodo(state);
    requireCurrent(state, todo, input.todo_id);
    if (todo.started) return { content: `Todo ${todo.id} is being worked on already.` };
    return {
      content: `Todo ${todo.id} is being worked on: ${todo.content}`,
      events: [{ type: 'TodoStarted', data: { todoId: todo.id, callId } }],
    };
  },
});

const completeNamedTodo = defineInlineTool({
  name: 'complete_todo',
  description: 'Marks that todo as done, once it really is. Todos are done in order: it has to be the current one.',
  input: z.object({
    todo_id: todoId,
    notes: z.string().max(4_000).optional().describe('What was done or found, for the archive'),
  }),
  run: async ({ state, callId }, { todo_id, notes }) => completeTodo(state, callId, { notes, todoId: todo_id }),
});

const listTodos = defineInlineTool({
  name: 'list_todos',
  description: 'Lists all todos of the current list with their state and notes.',
  input: z.object({}),
  run: async ({ state }) => {
    const current = currentTodo(state.todos);
    const lines = state.todos.map(
      (todo) => `${formatStatus(todo)} ${todo.id}. ${todo.content}${formatRemark(todo, current)}`,
    );
    return { content: lines.length > 0 ? lines.join('\n') : 'The list is empty.' };
  },
});

const getProgress = defineInlineTool({
  name: 'get_progress',
  description: 'Says how many todos of the current list are done, being worked on and pending.',
  input: z.object({}),
  run: async ({ state }) => {
    const { todos } = state;
    const open = openTodos(todos);
    const begun = open.filter(({ started }) => started).length;
    const done = todos.length - open.length;
    const share = todos.length === 0 ? 100 : (done / todos.length) * 100;
    return {
      content: `Progress: ${done} of ${todos.length} (${share.toFixed(1)} % done). In progress: ${begun}, pending: ${open.length - begun}.`,
    };
  },
});

const getNextTodo = defineInlineTool({
  name: 'get_next_todo',
  description: 'Says which todo is to be done now.',
  input: z.object({}),
  run: async ({ state }) => {
    const todo = currentTodo(state.todos);
    return { content: todo ? `${todo.id}. ${todo.content}` : 'All todos are done.' };
  },
});

const archiveAndReset = defineInlineTool({
  name: 'archive_and_reset',
  description:
    'Closes the list: it is archived, and the next phase begins with a fresh one. With open todos it needs an issue, and is then a rewind: the next plan has to account for each of them.',
  input: z.object({
    issue: z.string().max(4_000).optional().describe('Why open todos cannot be done; only where some are open'),
  }),
  run: async ({ state, callId }, { issue }) => {
    requireNotRewound(state);
    const open = openTodos(state.todos);
    if (open.length === 0)
      return { content: 'All todos are done: the list is archived and the phase ends once it passes its checks.' };
    if (issue === undefined || issue.trim() === '') {
      throw new ToolError(
        'todos_open',
        `Not reset: open todos cannot be dropped: ${open.map(({ id, content }) => `${id}. ${content.slice(0, 200).toWellFormed()}`).join('; ')}. Do them, or say in 'issue' why the list cannot be carried out.`,
      );
    }
    return {
      content: `The list is archived with ${open.length} todos open. A planning phase takes the issue up, and has to account for each.`,
      events: [createRewindEvent(state, issue, callId)],
    };
  },
});

function requireCurrentTodo({ todos }: PhaseState): Todo {
  const todo = currentTodo(todos);
  if (!todo) throw new ToolError('no_open_todo', 'All todos are done already.');
  return todo;
}

function formatStatus({ status, started }: Todo): string {
  if (status === 'done') return '[x]';
  return started ? '[~]' : '[ ]';
}

function formatRemark({ id, note }: Todo, current: Todo | undefined): string {
  return `${id === current?.id ? '   ← CURRENT' : ''}${note === undefined ? '' : ` (noted: ${note})`}`;
}

/** The finer set of todo tools: works on the same list with the same events, one small step per call. */
export const fineTodoTools = [
  addTodo,
  startTodo,
  completeNamedTodo,
  listTodos,
  getProgress,
  getNextTodo,
  archiveAndReset,
];
