import type { CallId } from '@phaseline/contracts';
import type { CheckInput } from '../check/check-input.js';
import type { CheckFailure, CheckResult } from '../check/check-result.js';
import type { Check } from '../check/check.js';
import { evaluateChecks } from '../check/evaluate-check.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { Todo } from '../todo/todo.js';

/** What a todo without checks of its own must at least have: one call that worked on it. */
const ANY_WORK: readonly Check[] = [{ call: { tool: '*', work: true } }];

/** The checks that a todo must pass before it is done. */
export function listTodoChecks({ outputs = [] }: Todo): readonly Check[] {
  return outputs.length > 0 ? outputs : ANY_WORK;
}

/**
 * Decides whether a todo is done. `callId` is the call that claims it: one answer completes one todo, unless the others have checks
 * of their own that hold.
 */
export function evaluateTodoClaim(state: PhaseState, todo: Todo, callId: CallId, input: CheckInput): CheckResult {
  const isSecond = state.calls.lastResponseCallIds.some(
    (other) => other !== callId && other === state.work.completingCall,
  );
  if (isSecond && (todo.outputs ?? []).length === 0) {
    const failure: CheckFailure = {
      check: ANY_WORK[0]!,
      expected: 'one todo per answer',
      found: 'this answer has already completed a todo',
    };
    return { kind: 'fails', failures: [failure] };
  }
  return evaluateChecks(listTodoChecks(todo), input);
}

/** Explains to the model why a claim was refused, and what it can do next. */
export function renderRefusal(todo: Todo, failures: readonly CheckFailure[]): string {
  const lines = failures.map(({ expected, found }) => `- expected ${expected}; found: ${found}`);
  return [
    `Todo ${todo.id} is not done: ${failures.length === 1 ? 'a check' : `${failures.length} checks`} failed.`,
    ...lines,
    'Do what is missing, then complete the todo again. If it cannot be done, say so and abandon the list.',
  ].join('\n');
}
