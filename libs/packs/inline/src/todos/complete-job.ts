import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { describeObligations, openTodos } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { requireNotBlocked } from './block-todo.js';
import { claimTodo } from './claim-todo.js';
import { buildTodoCompleted } from './complete-todo.js';

export const completeJob: ToolRun<typeof todosSpec, 'job_complete'> = async (context, input) => {
  const { state, callId } = context;
  const { obligations = [] } = state.start.plan;
  if (obligations.length > 0) {
    throw new ToolError(
      'obligations_open',
      `The job is not complete: these todos of earlier lists are still open: ${describeObligations(obligations)}. Plan them with todo_write: repeat each one, or name it in 'covers' of a new todo.`,
    );
  }
  const open = openTodos(state.todos.list);
  if (open.length > 1) {
    throw new ToolError(
      'todos_open',
      `${open.length} todos are open. Complete them first. Current: ${open[0]!.id}. ${open[0]!.content}`,
    );
  }
  requireNotBlocked(state);
  const { summary, confidence, notes } = input;
  // The gate looks deliverables up as paths of the tree, which do not start with './'.
  const deliverables = input.deliverables.map((path) => path.replace(/^\.\//, ''));
  const [last] = open;
  const claim = last && (await claimTodo(context, last, { proposesEnd: true }));
  if (claim && 'unsettled' in claim) return claim.unsettled;
  const done = last && claim ? [...claim.accepted, buildTodoCompleted(last, callId, claim.evidence)] : [];
  return {
    content: 'The completion is being checked.',
    events: [
      ...done,
      { type: 'JobCompletionProposed', data: { callId, completion: { summary, deliverables, confidence, notes } } },
    ],
  };
};
