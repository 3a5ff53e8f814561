import { todosSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { openTodos, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';

/** Returns the event that abandons the list with the given reason. Throws ToolError when that is not possible. */
function createRewindEvent(state: PhaseState, issue: string, callId: string): PhaseEvent {
  if (!state.start.rewind) {
    throw new ToolError(
      'no_rewind',
      "This job's workflow has no way back from here: its list cannot be given up. Do the todo as well as it can be done, and say in its notes what could not be done and why.",
    );
  }
  if (state.rewound) throw new ToolError('already_rewound', 'The list is given up already; nothing more can be done.');
  if (openTodos(state.todos).length === 0)
    throw new ToolError('no_open_todo', 'All todos are done already: there is nothing to give up.');
  if (issue.trim() === '') throw new ToolError('no_issue', 'Say what does not work and what could be done instead.');
  return { type: 'TodosRewound', data: { issue: issue.trim(), callId } };
}

export const rewindList: ToolRun<typeof todosSpec, 'todo_rewind'> = async ({ state, callId }, { issue }) => ({
  content: `The list is given up with ${openTodos(state.todos).length} todos open. The phase ends here; a planning phase takes the issue up.`,
  events: [createRewindEvent(state, issue, callId)],
});

/** Closes a list that is done, and rewinds one that is not. */
export const archiveAndReset: ToolRun<typeof todosSpec, 'archive_and_reset'> = async ({ state, callId }, { issue }) => {
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
};

/** Throws ToolError when an earlier call of the same model response has rewound the list. */
export function requireNotRewound({ rewound }: PhaseState): void {
  if (rewound) throw new ToolError('already_rewound', 'Not done: the list was given up before this call.');
}
