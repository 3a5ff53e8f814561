import type { GateInput } from '../gate/check-gates.js';
import { MAIN_PLAN_FILE, nothingLeft } from '../todo/main-plan.js';
import { currentTodo } from '../todo/todo.js';
import { saysPlanComplete, TODOS_FILE } from '../todo/todos-file.js';
import type { PhaseState } from './phase-state.js';

type Outcome = PhaseState['start']['finish'];

/** The outcome that the state stands for now, with the gates in its way; `undefined` while there is work left. */
export function pendingOutcome(state: PhaseState, input: GateInput): Outcome | undefined {
  const { start } = state;
  if (state.rewound && start.rewind) return start.rewind;
  if (currentTodo(state.todos)) return undefined;
  if (state.proposal && start.completion) return start.completion;
  return start.exhausted && isExhausted(input) ? start.exhausted : start.finish;
}

/** Nothing is left to plan: the agent says so in the todos file, or it wrote none and every mark of its plan is set. */
function isExhausted({ todosFile, mainPlan }: GateInput): boolean {
  return todosFile === undefined ? nothingLeft(mainPlan) : saysPlanComplete(todosFile);
}

/** The files whose texts the decision needs that is due now: as few as can be, since it is asked after every answer. */
export function neededFiles(state: PhaseState): readonly string[] {
  const { start } = state;
  const files = new Set<string>();
  const all = pendingOutcome(state, { todosFile: undefined });
  if (all?.gates.includes('todos-file')) files.add(TODOS_FILE);
  if (all === start.finish && start.exhausted) for (const file of [TODOS_FILE, MAIN_PLAN_FILE]) files.add(file);
  return [...files];
}

/** Deliverables that the agent definition demands or the agent itself claims. */
export function claimedDeliverables({ start, proposal }: PhaseState): readonly string[] {
  return [...new Set([...start.deliverables, ...(proposal?.deliverables ?? [])])];
}
