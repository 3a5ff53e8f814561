import { z } from 'zod';
import { openTodos, TODO_REWIND, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { defineInlineTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';

/** Returns the event that abandons the list with the given reason. Throws ToolError when that is not possible. */
export function createRewindEvent(state: PhaseState, issue: string, callId: string): PhaseEvent {
  if (!state.start.rewind) {
    throw new ToolError(
      'no_rewind',
      "This job's workflow has no way back from here: its list cannot be given up. Do the todo as well as it can be done, and say in its notes what could not be done and why.",
    );
  }
  if (state.rewound) throw new ToolError('rewound_already', 'The list is given up already; nothing more can be done.');
  if (openTodos(state.todos).length === 0)
    throw new ToolError('no_open_todo', 'All todos are done already: there is nothing to give up.');
  if (issue.trim() === '') throw new ToolError('no_issue', 'Say what does not work and what could be done instead.');
  return { type: 'TodosRewound', data: { issue: issue.trim(), callId } };
}

export const todoRewind = defineInlineTool({
  name: TODO_REWIND,
  description:
    'Gives the whole list up because it cannot be carried out as it is. It is archived with the issue, and a planning phase reconsiders the plan. Open todos are not dropped: the next plan has to account for each. Use it when the approach is wrong, not when one todo is hard.',
  input: z.object({
    issue: z.string().min(1).max(4_000).describe('What does not work, what was tried, and what could be done instead'),
  }),
  run: async ({ state, callId }, { issue }) => ({
    content: `The list is given up with ${openTodos(state.todos).length} todos open. The phase ends here; a planning phase takes the issue up.`,
    events: [createRewindEvent(state, issue, callId)],
  }),
});

/** Throws ToolError when an earlier call of the same model response has rewound the list. */
export function requireNotRewound({ rewound }: PhaseState): void {
  if (rewound) throw new ToolError('rewound_already', 'Not done: the list was given up before this call.');
}
