import { type Check, type CheckFailure, type CheckInput, type CheckResult, evaluateChecks } from '@phaseline/checks';
import type { CallId } from '@phaseline/contracts';
import type { PhaseState } from '../phase/phase-state.js';
import type { Todo } from '../todo/todo.js';
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

/** Explains to the model why the claim of a todo was refused, and what it can do next. */
export function renderRefusal(todo: Todo, failures: readonly CheckFailure[]): string {
  return [
    `Todo ${todo.id} is not done: ${renderFailures(failures)}`,
    'Do what is missing, then complete the todo again. If it cannot be done, say why, and abandon the list where that is possible.',
  ].join('\n');
}
