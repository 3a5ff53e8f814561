import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import {
  buildAddedRules,
  listOutputPaths,
  nextTodoId,
  openTodos,
  readOutputs,
  type PhaseState,
} from '@phaseline/domain';
import { readClaimTexts } from '@phaseline/workspace';
import { ToolError } from '@phaseline/contracts';
import { requireCurrentTodo } from './complete-todo.js';
import { requireNotRewound } from './rewind-list.js';

export const addTodo: ToolRun<typeof todosSpec, 'add_todo'> = async ({ state, callId, workspace }, input) => {
  requireNotRewound(state);
  if (state.todos.proposal)
    throw new ToolError('completion_pending', 'Not added: the completion of the job is being checked.');
  const content = input.content.trim();
  if (content === '') throw new ToolError('bad_todos', 'Not added: a todo needs a text.');
  const { max } = state.start.plan.limits;
  if (state.todos.list.length >= max)
    throw new ToolError('too_many_todos', `Not added: a list has at most ${max} todos, including completed ones.`);
  const same = openTodos(state.todos.list).find((todo) => todo.content === content);
  if (same) throw new ToolError('todo_exists', `Not added: the open todo ${same.id} has the same text.`);
  const id = nextTodoId(state.todos.list);
  const planned = readOutputs(input.outputs, 'the todo', listTakenPaths(state), undefined);
  const rules = buildAddedRules(state, await readClaimTexts(planned.checks, state, workspace));
  const { checks, problems } = readOutputs(input.outputs, 'the todo', listTakenPaths(state), rules);
  if (problems.length > 0) throw new ToolError('bad_todos', `Not added: ${problems.join(' ')}`);
  return {
    content: `Added todo ${id}. ${openTodos(state.todos.list).length + 1} are open.`,
    events: [
      {
        type: 'TodoAdded',
        data: { todoId: id, content, ...(checks.length > 0 ? { outputs: [...checks] } : {}), callId },
      },
    ],
  };
};

export const startTodo: ToolRun<typeof todosSpec, 'start_todo'> = async ({ state, callId }, input) => {
  requireNotRewound(state);
  const todo = requireCurrentTodo(state, input.todo_id);
  if (todo.started) return { content: `Todo ${todo.id} is already in progress.` };
  return {
    content: `Todo ${todo.id} is in progress: ${todo.content}`,
    events: [{ type: 'TodoStarted', data: { todoId: todo.id, callId } }],
  };
};

/** Paths whose changes count for another todo, or were made before the todo was added. */
function listTakenPaths({ todos, work }: PhaseState): ReadonlySet<string> {
  return new Set([
    ...listOutputPaths(todos.list.flatMap(({ outputs = [] }) => outputs)),
    ...Object.keys(work.changedFiles),
  ]);
}
