import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { nextTodoId, openTodos } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { requireCurrentTodo } from './complete-todo.js';
import { requireNotRewound } from './rewind-list.js';

export const addTodo: ToolRun<typeof todosSpec, 'add_todo'> = async ({ state, callId }, input) => {
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
  return {
    content: `Added todo ${id}. ${openTodos(state.todos.list).length + 1} are open.`,
    events: [{ type: 'TodoAdded', data: { todoId: id, content, callId } }],
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
