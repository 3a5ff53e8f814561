import type { PhaseState } from '../phase/phase-state.js';

/** The tool that this phase's agent completes a todo with, as it is told to. */
export function completingTool({ start }: PhaseState): string {
  return !start.tools.includes('todo_complete') && start.tools.includes('complete_todo')
    ? 'complete_todo'
    : 'todo_complete';
}
