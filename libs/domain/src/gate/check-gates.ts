import { MAIN_PLAN_FILE, planLeft } from '../todo/main-plan.js';
import { describeObligations } from '../todo/obligation.js';
import { checkTodosFile, TODOS_FILE, type TodoPlan } from '../todo/todos-file.js';
import { claimedDeliverables } from '../phase/pending-outcome.js';
import type { PhaseState } from '../phase/phase-state.js';
import { isKeptResult } from '../tool-call/kept-result.js';
import type { GateName } from '../workflow/workflow.js';

/** What the gates look at beside the state. */
export interface GateInput {
  /** The text of `todos.yaml` as it stands; `undefined` when there is none. */
  readonly todosFile: string | undefined;
  /** The text of `main_plan.md`, where a gate or an outcome needs it. */
  readonly mainPlan?: string | undefined;
  /** Deliverables that hold nothing but characters that nobody sees, where the gate for them is asked. */
  readonly blankFiles?: readonly string[];
}

export type GateVerdict =
  | { readonly passed: true; readonly plan?: TodoPlan }
  | { readonly passed: false; readonly gate: GateName; readonly message: string };

/** Asks the gates in order; the first that refuses decides. */
export function checkGates(gates: readonly GateName[], state: PhaseState, input: GateInput): GateVerdict {
  let plan: TodoPlan | undefined;
  for (const gate of gates) {
    if (gate === 'todos-file') {
      const verdict = checkTodosFile(input.todosFile, state.start.todoLimits, state.start.obligations);
      if (!verdict.ok) {
        return refuse(
          gate,
          `The plan is not accepted: ${verdict.problems.join(' ')} Write ${TODOS_FILE} again, then complete the todo.`,
        );
      }
      plan = verdict.plan;
    } else if (gate === 'obligations') {
      const { obligations = [] } = state.start;
      if (obligations.length > 0) {
        return refuse(
          gate,
          `The job is not complete: these todos of earlier lists are still open: ${describeObligations(obligations)}. Plan them with todo_write: each again, or in a todo that names it in 'covers'.`,
        );
      }
    } else if (gate === 'plan-exhausted') {
      const { open } = planLeft(input.mainPlan ?? '');
      if (open.length > 0) {
        return refuse(
          gate,
          `${MAIN_PLAN_FILE} still has open: ${open.slice(0, 20).join('; ')}. Plan the next phase with todo_write, or mark in ${MAIN_PLAN_FILE} what is done.`,
        );
      }
    } else {
      const missing = missingDeliverables(state, input.blankFiles ?? []);
      if (missing.length > 0) {
        return refuse(
          gate,
          `The job is not complete: these deliverables do not exist, are empty or hold nothing but blanks: ${missing.join(', ')}. Plan the work that makes them.`,
        );
      }
    }
  }
  return plan ? { passed: true, plan } : { passed: true };
}

/** Deliverables that are not there, or show nothing. What a tool said is none. */
function missingDeliverables(state: PhaseState, blank: readonly string[]): readonly string[] {
  return claimedDeliverables(state).filter(
    (path) => isKeptResult(path) || !((state.tree[path]?.size ?? 0) > 0) || blank.includes(path),
  );
}

function refuse(gate: GateName, message: string): GateVerdict {
  return { passed: false, gate, message };
}
