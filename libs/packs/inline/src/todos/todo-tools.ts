import { z } from 'zod';
import { defineInlineTool, type ToolPack } from '@phaseline/tools';
import { completeTodo } from './complete-todo.js';
import { fineTodoTools } from './fine-todo-tools.js';
import { jobComplete } from './job-complete.js';
import { todoRewind } from './rewind-tool.js';
import { todoWrite } from './todo-write.js';

export const todoComplete = defineInlineTool({
  name: 'todo_complete',
  description:
    'Marks the current todo as done, once it really is. Todos are done in order; the next one becomes the current one.',
  input: z.object({ notes: z.string().max(4_000).optional().describe('What was done or found, for the archive') }),
  run: async ({ state, callId }, { notes }) => completeTodo(state, callId, { notes }),
});

/** Tools for planning, progress and completion. An agent's definition chooses between the plain set and the finer one. */
export const todosPack: ToolPack = {
  name: 'todos',
  tools: [todoWrite, todoComplete, todoRewind, jobComplete, ...fineTodoTools],
};
