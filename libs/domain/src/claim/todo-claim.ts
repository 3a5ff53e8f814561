import { type Check, type CheckFailure, type CheckInput, type CheckResult, evaluateChecks } from '@phaseline/checks';
import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { Todo } from '../todo/todo.js';
import { findOpenClaim } from './claim-runs.js';
import { renderFailures } from './render-failures.js';

/** What a todo without checks of its own must at least have: one call that worked on it. */
const ANY_WORK: readonly Check[] = [{ call: { tool: '*', work: true } }];

/**
 * The checks that a todo must pass before it is done. A call that proposes the end of the job is itself the work on the last todo: the
 * gates of that end decide.
 */
export function listTodoChecks({ outputs = [] }: Todo, proposesEnd = false): readonly Check[] {
  return outputs.length > 0 || proposesEnd ? outputs : ANY_WORK;
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
  return evaluateChecks(listTodoChecks(todo, proposesEnd), input);
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
