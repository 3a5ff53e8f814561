import { getCompletingTool, TODO_REWIND, type PhaseState } from '@phaseline/domain';

/** Adapts a duty to the todo tools that this agent has. */
export function adaptDuty(state: PhaseState, duty: string): string {
  const named = duty.replace('todo_complete', getCompletingTool(state));
  return state.start.terms.tools.includes('add_todo')
    ? named.replace('or add work.', 'beyond the list. If a necessary step is missing, add it with add_todo.')
    : named;
}

/** The duty that explains how to abandon a list, if the agent can do so. */
export function renderRewindDuty({ start, todos }: PhaseState): readonly string[] {
  if (!start.routes.rewind || !start.terms.tools.includes(TODO_REWIND) || todos.list.length === 0) return [];
  return [
    '- If the approach is wrong and the list cannot be carried out, call todo_rewind and explain what does not work. The plan is then revised.',
  ];
}
