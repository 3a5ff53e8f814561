import { z } from 'zod';
import { describeObligations, JOB_COMPLETE, openTodos } from '@phaseline/domain';
import { defineInlineTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';

export const jobComplete = defineInlineTool({
  name: JOB_COMPLETE,
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
    const { obligations = [] } = state.start;
    if (obligations.length > 0) {
      throw new ToolError(
        'obligations_open',
        `The job is not complete: these todos of earlier lists are still open: ${describeObligations(obligations)}. Plan them with todo_write: each again, or in a todo that names it in 'covers'.`,
      );
    }
    const open = openTodos(state.todos);
    if (open.length > 1) {
      throw new ToolError(
        'todos_open',
        `${open.length} todos are open; complete them first. Current: ${open[0]!.id}. ${open[0]!.content}`,
      );
    }
    const { summary, confidence, notes } = input;
    // The gate looks deliverables up as paths of the tree, which do not start with './'.
    const deliverables = input.deliverables.map((path) => path.replace(/^\.\//, ''));
    const done = open.map((todo) => ({ type: 'TodoCompleted' as const, data: { todoId: todo.id, callId } }));
    return {
      content: 'The completion is checked now.',
      events: [
        ...done,
        { type: 'JobCompletionProposed', data: { callId, completion: { summary, deliverables, confidence, notes } } },
      ],
    };
  },
});
