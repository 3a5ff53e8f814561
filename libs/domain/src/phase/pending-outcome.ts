import { evaluateChecks, type Check, type NeededRun } from '@phaseline/checks';
import { getDeliverablePath } from '../agent/deliverable.js';
import { buildCheckInput, type ClaimTexts } from '../claim/claim-input.js';
import { findOpenClaim, readRunOutcomes } from '../claim/claim-runs.js';
import type { GateInput } from '../gate/gate-input.js';
import { isEarlyReturn } from '../return/find-return-problem.js';
import { MAIN_PLAN_FILE, isPlanFinished } from '../todo/main-plan.js';
import { currentTodo } from '../todo/todo.js';
import { isPlanComplete, TODOS_FILE } from '../todo/todos-file.js';
import { listPreparingChecks } from './control-phase.js';
import type { PhaseState } from './phase-state.js';

type Outcome = NonNullable<PhaseState['start']['routes']['finish']>;

/** The outcome that a phase has reached. */
interface OutcomeChoice {
  readonly outcome: Outcome;
  /** The runs of verifiers and judges that decide whether it is chosen, as long as they have not ended. */
  readonly runs?: readonly NeededRun[];
}

const NO_TEXTS: ClaimTexts = new Map();

/**
 * Chooses the outcome that the phase has reached; `undefined` while work is left. Outcomes by value come before the one that a return
 * names, because nothing ends on the word of a model.
 */
export function chooseOutcome(state: PhaseState, input: GateInput): OutcomeChoice | undefined {
  const { routes } = state.start;
  if (state.todos.rewound && routes.rewind) return { outcome: routes.rewind };
  const { proposal, returned } = state.todos;
  if (state.start.plan.controller) return chooseByValue(state, NO_TEXTS);
  if (!isWorkDone(state)) return undefined;
  if (proposal && routes.completion) return { outcome: routes.completion };
  const byValue = chooseByValue(state, input.claimTexts ?? NO_TEXTS);
  if (byValue) return byValue;
  const named = routes.returned?.find(({ outcome }) => outcome === returned?.outcome);
  if (named) return { outcome: named };
  const last = routes.exhausted && isExhausted(input) ? routes.exhausted : routes.finish;
  return last && { outcome: last };
}

/** The outcome that the phase has reached, with its gates; `undefined` while work is left or an outcome is being chosen. */
export function findPendingOutcome(state: PhaseState, input: GateInput): Outcome | undefined {
  const choice = chooseOutcome(state, input);
  return choice?.runs ? undefined : choice?.outcome;
}

/** Whether the phase may end: no todo is open, and what it has to return was returned. A return may leave todos open if its outcome says so. */
function isWorkDone(state: PhaseState): boolean {
  const { list, returned } = state.todos;
  if (state.start.plan.returns && !returned) return false;
  return isEarlyReturn(state, returned?.outcome) || currentTodo(list) === undefined;
}

function chooseByValue(state: PhaseState, texts: ClaimTexts): OutcomeChoice | undefined {
  const { byValue } = state.start.routes;
  if (!byValue) return undefined;
  const input = buildCheckInput(state, texts, readRunOutcomes(state, findOpenClaim(state)));
  for (const outcome of byValue) {
    const result = evaluateChecks(outcome.when ?? [], input);
    if (result.kind === 'holds') return { outcome };
    if (result.kind === 'open') return { outcome, runs: result.runs };
  }
  return undefined;
}

/** The checks by which the due decision chooses an outcome, or by which a controller is asked for one; none while work is left. */
export function listChoosingChecks(state: PhaseState): readonly Check[] {
  if (state.start.plan.controller) return listPreparingChecks(state);
  return isWorkDone(state) ? (state.start.routes.byValue ?? []).flatMap(({ when = [] }) => when) : [];
}

/** Whether nothing is left to plan: the todos file says so, or there is none and every item of the main plan is done. */
function isExhausted({ todosFile, mainPlan }: GateInput): boolean {
  return todosFile === undefined ? isPlanFinished(mainPlan) : isPlanComplete(todosFile);
}

/** The files whose texts the due decision needs; as few as possible, because it is made after every answer. */
export function listNeededFiles(state: PhaseState): readonly string[] {
  const { start } = state;
  const files = new Set<string>();
  const possible = listPossibleOutcomes(state);
  if (possible.some((outcome) => outcome?.gates.includes('todos-file'))) files.add(TODOS_FILE);
  if (possible.some((outcome) => outcome?.gates.includes('plan-exhausted'))) files.add(MAIN_PLAN_FILE);
  if (possible.includes(start.routes.finish) && start.routes.exhausted)
    for (const file of [TODOS_FILE, MAIN_PLAN_FILE]) files.add(file);
  return [...files];
}

/** The outcome that is pending; all of them if their choice depends on files that were not read yet. */
function listPossibleOutcomes(state: PhaseState): readonly (Outcome | undefined)[] {
  const { finish, completion, exhausted, rewind, returned = [], byValue = [] } = state.start.routes;
  if (listChoosingChecks(state).length === 0) return [findPendingOutcome(state, { todosFile: undefined })];
  return [finish, completion, exhausted, rewind, ...returned, ...byValue];
}

/** Deliverables that the agent's definition requires or that the agent claims. */
export function listClaimedDeliverables({ start, todos: { proposal } }: PhaseState): readonly string[] {
  return [...new Set([...start.plan.deliverables.map(getDeliverablePath), ...(proposal?.deliverables ?? [])])];
}
