import {
  type Check,
  type CheckFailure,
  type CheckInput,
  type CheckResult,
  evaluateChecks,
  isGlob,
  listCheckedFiles,
  listLeafChecks,
  matchesGlob,
} from '@phaseline/checks';
import type { CallId } from '@phaseline/contracts';
import { getDeliverablePath, listDeliverableDemands, type Deliverable } from '../agent/deliverable.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { listOutputPaths } from '../todo/planned-outputs.js';
import type { Todo } from '../todo/todo.js';
import { findOpenClaim } from './claim-runs.js';
import { renderFailures } from './render-failures.js';

/** What a todo without checks of its own must at least have: one call that worked on it. */
const ANY_WORK: readonly Check[] = [{ call: { tool: '*', work: true } }];

/**
 * The checks that a todo must pass before it is done: its own, and what the agent demands of the files that it names. A planned todo that
 * demands nothing but calls needs work too, so that no plan makes bookkeeping count. A call that proposes the end of the job is itself the work
 * on the last todo: the gates of that end decide.
 */
export function listTodoChecks(state: PhaseState, todo: Todo, proposesEnd = false): readonly Check[] {
  const { outputs = [] } = todo;
  const isPlanned = state.start.plan.claimRules === 2 && state.start.identity.kind === 'tactical';
  const demands = isPlanned ? listDemandedFiles(state, todo).flatMap(listDeliverableDemands) : [];
  const provesWork = isPlanned ? outputs.flatMap(listLeafChecks).some((one) => !('call' in one)) : outputs.length > 0;
  return [...(provesWork || proposesEnd ? [] : ANY_WORK), ...outputs, ...demands];
}

/**
 * The files to which a planned todo is held: the deliverables that it names as the path of an output or in its text, and its outputs of which
 * the agent demands something.
 */
export function listDemandedFiles({ start: { plan }, tree }: PhaseState, todo: Todo): readonly Deliverable[] {
  const paths = listOutputPaths(todo.outputs ?? []);
  const named = plan.deliverables.filter((deliverable) => {
    const path = getDeliverablePath(deliverable);
    return paths.includes(path) || hasPath(todo.content, path);
  });
  const files = [...new Set(paths.flatMap((path) => (isGlob(path) ? listCheckedFiles({ path }, tree) : [path])))];
  const demanded = (plan.limits.outputs ?? []).flatMap((rule) =>
    files.filter((path) => matchesGlob(rule.path, path)).map((path) => ({ ...rule, path })),
  );
  return [...named, ...demanded];
}

/** Whether a text names a path, and not only a longer one that contains it. */
function hasPath(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text.slice(0, at).replace(/\.\/$/, '');
    const after = text.slice(at + path.length);
    if (!/[\p{L}\p{N}_./-]$/u.test(before) && !/^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u.test(after)) return true;
  }
  return false;
}

export interface TodoClaim {
  readonly todo: Todo;
  /** The call that makes the claim. */
  readonly callId: CallId;
  /** Whether the call also proposes the end of the job. */
  readonly proposesEnd?: boolean;
}

/**
 * Decides whether a todo is done. `callId` is the call that claims it: one answer completes one todo, unless the others have checks
 * of their own that hold.
 */
export function evaluateTodoClaim(
  state: PhaseState,
  { todo, callId, proposesEnd = false }: TodoClaim,
  input: CheckInput,
): CheckResult {
  const isSecond = state.calls.lastResponseCallIds.some(
    (other) => other !== callId && other === state.work.completingCall,
  );
  if (isSecond && !proposesEnd && (todo.outputs ?? []).length === 0) {
    const failure: CheckFailure = {
      check: ANY_WORK[0]!,
      expected: 'one todo per answer',
      found: 'this answer has already completed a todo',
    };
    return { kind: 'fails', failures: [failure] };
  }
  return evaluateChecks(listTodoChecks(state, todo, proposesEnd), input);
}

/** What the claim of a todo lacks. */
interface TodoRefusal {
  /** The call that made the claim. */
  readonly callId: CallId;
  readonly failures: readonly CheckFailure[];
  /** Tells the model what is missing; by default each failed check. */
  readonly why?: string;
}

/** Builds the refusal of a claim. Its message explains to the model why, and what it can do next. */
export function buildTodoRefusal(
  state: PhaseState,
  todoId: Todo['id'],
  { callId, failures, why = renderFailures(failures) }: TodoRefusal,
): PhaseEvent & { readonly type: 'ClaimRefused' } {
  const open = findOpenClaim(state, callId);
  const message = [
    `Todo ${todoId} is not done: ${why}`,
    'Do what is missing, then complete the todo again. If it cannot be done, say why, and abandon the list where that is possible.',
  ].join('\n');
  return {
    type: 'ClaimRefused',
    data: {
      ...(open ? { claim: open.claim } : {}),
      subject: { kind: 'todo', todoId },
      callId,
      failures: [...failures],
      message,
      inARow: (state.guards.refusals.todo ?? 0) + 1,
    },
  };
}
