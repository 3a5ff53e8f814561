import { completingTool, TODO_REWIND, type PhaseState } from '@phaseline/domain';

/** A duty in the words of the tools that this agent has for its list. */
export function dutyFor(state: PhaseState, duty: string): string {
  const named = duty.replace('todo_complete', completingTool(state));
  return state.start.tools.includes('add_todo')
    ? named.replace('or add work.', 'beyond the list; add_todo is for a step that the list lacks.')
    : named;
}

/** How the agent gets out of a list that cannot be carried out, where it can. */
export function rewindDuty({ start, todos }: PhaseState): readonly string[] {
  if (!start.rewind || !start.tools.includes(TODO_REWIND) || todos.length === 0) return [];
  return [
    '- If the list cannot be carried out as it is, because the approach is wrong, call todo_rewind and say what does not work; the plan is reconsidered then.',
  ];
}
