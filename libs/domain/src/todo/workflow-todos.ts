import { matchesGlob, type Check } from '@phaseline/checks';
import type { PredefinedTodo } from '../workflow/workflow.js';
import { createTodos, type Todo } from './todo.js';

/**
 * Creates the todos that a workflow predefines for a state. A demand for a call of a tool that the phase does not offer could never be met, so that
 * an agent without the tool could not end the phase: such a check is left out.
 */
export function createWorkflowTodos(
  predefined: readonly PredefinedTodo[],
  offered: readonly string[],
): readonly Todo[] {
  return createTodos(
    predefined.map((todo) => {
      if (typeof todo === 'string' || !todo.checks) return todo;
      const checks = todo.checks.filter((check) => isMeetable(check, offered));
      return checks.length > 0 ? { ...todo, checks } : todo.content;
    }),
  );
}

function isMeetable(check: Check, offered: readonly string[]): boolean {
  if (!('call' in check)) return true;
  return [check.call.tool].flat().some((wanted) => offered.some((name) => matchesGlob(wanted, name)));
}
