import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { openTodos, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { ToolError, type CallId } from '@phaseline/contracts';

/** Returns the event that abandons the list with the given reason. Throws ToolError when that is not possible. */
function createRewindEvent(state: PhaseState, issue: string, callId: CallId): PhaseEvent {
  if (!state.start.routes.rewind) {
    throw new ToolError(
      'no_rewind',
      'This list cannot be abandoned, because the workflow does not allow a rewind in this phase. Do the todo as well as you can, and explain in its notes what could not be done.',
    );
  }
  if (state.todos.rewound)
    throw new ToolError('already_rewound', 'The list has already been abandoned, and the phase is ending.');
  if (openTodos(state.todos.list).length === 0)
    throw new ToolError('no_open_todo', 'All todos are already done, so there is no list to abandon.');
  if (issue.trim() === '') throw new ToolError('no_issue', 'State what does not work and what could be done instead.');
  return { type: 'TodosRewound', data: { issue: issue.trim(), callId } };
}

export const rewindList: ToolRun<typeof todosSpec, 'todo_rewind'> = async ({ state, callId }, { issue }) => ({
  content: `The list was abandoned with ${openTodos(state.todos.list).length} open todos. The phase ends, and a planning phase will address the issue.`,
  events: [createRewindEvent(state, issue, callId)],
});

/** Closes a list that is done, and rewinds one that is not. */
export const archiveAndReset: ToolRun<typeof todosSpec, 'archive_and_reset'> = async ({ state, callId }, { issue }) => {
  requireNotRewound(state);
  const open = openTodos(state.todos.list);
  if (open.length === 0)
    return { content: 'All todos are done. The list is archived, and the phase ends when it has passed its checks.' };
  if (issue === undefined || issue.trim() === '') {
    throw new ToolError(
      'todos_open',
      `Not reset: open todos cannot be dropped: ${open.map(({ id, content }) => `${id}. ${content.slice(0, 200).toWellFormed()}`).join('; ')}. Complete them, or explain in 'issue' why the list cannot be carried out.`,
    );
  }
  return {
    content: `The list was archived with ${open.length} open todos. A planning phase will address the issue and must cover each of them.`,
    events: [createRewindEvent(state, issue, callId)],
  };
};

/** Throws ToolError when an earlier call of the same model response has rewound the list. */
export function requireNotRewound({ todos: { rewound } }: PhaseState): void {
  if (rewound) throw new ToolError('already_rewound', 'Not executed: an earlier call abandoned the list.');
}
