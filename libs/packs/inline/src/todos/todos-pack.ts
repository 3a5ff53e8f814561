import { todosSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { blockTodo, unblockTodo } from './block-todo.js';
import { completeJob } from './complete-job.js';
import { completeTodo } from './complete-todo.js';
import { returnPhase } from './return-phase.js';
import { addTodo, startTodo } from './edit-list.js';
import { getNextTodo, getProgress, listTodos } from './read-list.js';
import { archiveAndReset, rewindList } from './rewind-list.js';
import { writePlan } from './write-plan.js';

/** Tools for planning, progress and completion. An agent's definition chooses between the plain set and the finer one. */
export const todosPack = implementPack(todosSpec, {
  todo_write: writePlan,
  todo_complete: completeTodo,
  todo_rewind: rewindList,
  job_complete: completeJob,
  phase_return: returnPhase,
  add_todo: addTodo,
  start_todo: startTodo,
  complete_todo: completeTodo,
  block_todo: blockTodo,
  unblock_todo: unblockTodo,
  list_todos: listTodos,
  get_progress: getProgress,
  get_next_todo: getNextTodo,
  archive_and_reset: archiveAndReset,
});
