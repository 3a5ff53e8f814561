import type { PhaseState } from '../phase/phase-state.js';

/** Name of the tool with which this phase's agent completes a todo. */
export function getCompletingTool({ start }: PhaseState): string {
  return !start.terms.tools.includes('todo_complete') && start.terms.tools.includes('complete_todo')
    ? 'complete_todo'
    : 'todo_complete';
}
