import { getDeliverablePath } from '../agent/deliverable.js';
import type { GateInput } from '../gate/gate-input.js';
import { MAIN_PLAN_FILE, isPlanFinished } from '../todo/main-plan.js';
import { currentTodo } from '../todo/todo.js';
import { isPlanComplete, TODOS_FILE } from '../todo/todos-file.js';
import type { PhaseState } from './phase-state.js';

type Outcome = PhaseState['start']['routes']['finish'];

/** The outcome that the phase has reached, with its gates; `undefined` while work is left. */
export function findPendingOutcome(state: PhaseState, input: GateInput): Outcome | undefined {
  const { start } = state;
  if (state.todos.rewound && start.routes.rewind) return start.routes.rewind;
  if (currentTodo(state.todos.list)) return undefined;
  if (state.todos.proposal && start.routes.completion) return start.routes.completion;
  return start.routes.exhausted && isExhausted(input) ? start.routes.exhausted : start.routes.finish;
}

/** Whether nothing is left to plan: the todos file says so, or there is none and every item of the main plan is done. */
function isExhausted({ todosFile, mainPlan }: GateInput): boolean {
  return todosFile === undefined ? isPlanFinished(mainPlan) : isPlanComplete(todosFile);
}

/** The files whose texts the due decision needs; as few as possible, because it is made after every answer. */
export function listNeededFiles(state: PhaseState): readonly string[] {
  const { start } = state;
  const files = new Set<string>();
  const outcome = findPendingOutcome(state, { todosFile: undefined });
  if (outcome?.gates.includes('todos-file')) files.add(TODOS_FILE);
  if (outcome?.gates.includes('plan-exhausted')) files.add(MAIN_PLAN_FILE);
  if (outcome === start.routes.finish && start.routes.exhausted)
    for (const file of [TODOS_FILE, MAIN_PLAN_FILE]) files.add(file);
  return [...files];
}

/** Deliverables that the agent's definition requires or that the agent claims. */
export function listClaimedDeliverables({ start, todos: { proposal } }: PhaseState): readonly string[] {
  return [...new Set([...start.plan.deliverables.map(getDeliverablePath), ...(proposal?.deliverables ?? [])])];
}
