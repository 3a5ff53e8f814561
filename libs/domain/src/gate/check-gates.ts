import { MAIN_PLAN_FILE, readPlanProgress } from '../todo/main-plan.js';
import { describeObligations } from '../todo/obligation.js';
import { TODOS_FILE, type TodoPlan } from '../todo/todos-file.js';
import { checkPlan } from '../claim/plan-rules.js';
import { listClaimedDeliverables } from '../phase/pending-outcome.js';
import type { PhaseState } from '../phase/phase-state.js';
import { isStoredResult } from '../tool-call/stored-result.js';
import type { GateInput } from './gate-input.js';
import type { GateName } from '../workflow/workflow.js';

export type GateResult =
  | { readonly passed: true; readonly plan?: TodoPlan }
  | { readonly passed: false; readonly gate: GateName; readonly message: string };

/** Returns why the gate rejects, or the plan if the gate reads one; `undefined` if it passes without a result. */
type GateCheck = (
  state: PhaseState,
  input: GateInput,
) => { readonly rejection: string } | { readonly plan: TodoPlan } | undefined;

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

const checks: Readonly<Record<GateName, GateCheck>> = {
  'todos-file': (state, { todosFile, claimTexts = NO_TEXTS }) => {
    const result = checkPlan(state, todosFile, claimTexts);
    if (result.ok) return { plan: result.plan };
    return {
      rejection: `The plan was rejected: ${result.problems.join(' ')} Correct ${TODOS_FILE}, then complete the todo.`,
    };
  },
  obligations: ({ start }) => {
    const { obligations = [] } = start.plan;
    if (obligations.length === 0) return undefined;
    return {
      rejection: `The job is not complete: these todos of earlier lists are still open: ${describeObligations(obligations)}. Plan them with todo_write: repeat each one, or name it in 'covers' of a new todo.`,
    };
  },
  'plan-exhausted': (_state, { mainPlan }) => {
    const { open } = readPlanProgress(mainPlan ?? '');
    if (open.length === 0) return undefined;
    return {
      rejection: `${MAIN_PLAN_FILE} still has open items: ${open.slice(0, 20).join('; ')}. Plan the next phase with todo_write, or mark the finished items in ${MAIN_PLAN_FILE}.`,
    };
  },
  deliverables: (state, { blankFiles }) => {
    const missing = missingDeliverables(state, blankFiles ?? []);
    if (missing.length === 0) return undefined;
    return {
      rejection: `The job is not complete: these deliverables are missing, empty or contain only whitespace: ${missing.join(', ')}. Plan the work that creates them.`,
    };
  },
};

/** Checks the gates in order. The first one that rejects decides. */
export function checkGates(gates: readonly GateName[], state: PhaseState, input: GateInput): GateResult {
  let plan: TodoPlan | undefined;
  for (const gate of gates) {
    const result = checks[gate](state, input);
    if (result === undefined) continue;
    if ('rejection' in result) return { passed: false, gate, message: result.rejection };
    plan = result.plan;
  }
  return plan ? { passed: true, plan } : { passed: true };
}

/** Deliverables that do not exist or are blank. Stored results do not count as deliverables. */
function missingDeliverables(state: PhaseState, blank: readonly string[]): readonly string[] {
  return listClaimedDeliverables(state).filter(
    (path) => isStoredResult(path) || !((state.tree[path]?.size ?? 0) > 0) || blank.includes(path),
  );
}
