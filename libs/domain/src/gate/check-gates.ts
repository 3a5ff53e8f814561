import { checkTodosFile, TODOS_FILE, type TodoPlan } from '../todo/todos-file.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { GateName } from '../workflow/workflow.js';

/** What the gates look at beside the state. */
export interface GateInput {
  /** The text of `todos.yaml` as it stands; `undefined` when there is none. */
  readonly todosFile: string | undefined;
}

export type GateVerdict =
  | { readonly passed: true; readonly plan?: TodoPlan }
  | { readonly passed: false; readonly gate: GateName; readonly message: string };

/** Asks the gates in order; the first that refuses decides. */
export function checkGates(gates: readonly GateName[], state: PhaseState, input: GateInput): GateVerdict {
  let plan: TodoPlan | undefined;
  for (const gate of gates) {
    if (gate === 'todos-file') {
      const verdict = checkTodosFile(input.todosFile, state.start.todoLimits);
      if (!verdict.ok) {
        return refuse(
          gate,
          `The plan is not accepted: ${verdict.problems.join(' ')} Write ${TODOS_FILE} again, then complete the todo.`,
        );
      }
      plan = verdict.plan;
    } else {
      const missing = missingDeliverables(state);
      if (missing.length > 0) {
        return refuse(
          gate,
          `The job is not complete: these deliverables do not exist or are empty: ${missing.join(', ')}. Plan the work that makes them.`,
        );
      }
    }
  }
  return plan ? { passed: true, plan } : { passed: true };
}

/** Deliverables that the agent definition demands or the agent itself claims, and that are not there. */
function missingDeliverables(state: PhaseState): readonly string[] {
  const claimed = state.proposal?.deliverables ?? [];
  const wanted = [...new Set([...state.start.deliverables, ...claimed])];
  return wanted.filter((path) => !((state.tree[path]?.size ?? 0) > 0));
}

function refuse(gate: GateName, message: string): GateVerdict {
  return { passed: false, gate, message };
}

/** Whether any of the gates needs the text of `todos.yaml`. */
export function needsTodosFile(gates: readonly GateName[]): boolean {
  return gates.includes('todos-file');
}
