import { checkGates, type GateInput } from '../gate/check-gates.js';
import { DEFAULT_STUCK_SETTINGS } from '../stuck/stuck-settings.js';
import { completingTool } from '../todo/completing-tool.js';
import { currentTodo, openTodos } from '../todo/todo.js';
import type { PhaseEvent, PhaseFailureCode } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import { pendingOutcome } from './pending-outcome.js';
import { reasonOf, tooManyRewinds } from './rewind.js';

/** What follows once no call is outstanding: facts to record, and whether the model is to be called again. */
export interface Advance {
  readonly events: readonly PhaseEvent[];
  readonly next: 'call-model' | 'ended';
}

/**
 * Decides, after the last call of an answer has ended, whether the phase ends, goes on, or has failed.
 * The machine decides here, not the model: an answer without calls while todos are open is told what to do next,
 * and only so often.
 */
export function advancePhase(state: PhaseState, gateInput: GateInput): Advance {
  const { limits } = state.start;
  const pending = pendingOutcome(state, gateInput);
  // A person spoke last: the agent hears it before anything else is decided about it.
  const unheard = state.pendingNotices.length > 0;
  if (pending && !unheard) {
    const tooMany = tooManyRewinds(state);
    if (tooMany) return ended(tooMany);
    const verdict = checkGates(pending.gates, state, gateInput);
    if (verdict.passed) {
      const plan = verdict.plan && { ...verdict.plan, todos: [...verdict.plan.todos] };
      return ended({
        type: 'PhaseCompleted',
        data: {
          outcome: pending.outcome,
          ...(plan ? { plan } : {}),
          ...(state.proposal ? { completion: state.proposal } : {}),
          ...(state.rewound ? { rewound: reasonOf(state.rewound) } : {}),
        },
      });
    }
    const { gate, message } = verdict;
    const rejected: PhaseEvent = { type: 'TransitionRejected', data: { gate, outcome: pending.outcome, message } };
    if (state.rejections >= limits.gateRefusals) {
      return ended(
        rejected,
        failure('gate_refused', `the gate ${gate} refused ${state.rejections + 1} times; last: ${message}`, true),
      );
    }
    return goOn(rejected);
  }
  if (state.badCallsInARow >= limits.badCalls) {
    return ended(failure('bad_calls', `${state.badCallsInARow} calls in a row could not be run`, true));
  }
  if (state.spending.steps >= limits.steps) {
    return ended(failure('step_limit', `the phase used its ${limits.steps} steps with todos still open`, true));
  }
  const { sameFailure } = state;
  if (sameFailure && sameFailure.count >= identicalFailuresAllowed(state)) {
    const message = `the same call failed in the same way ${sameFailure.count} times: ${sameFailure.key.slice(0, 500)}`;
    return ended(failure('repeated_failure', message, true));
  }
  if (unheard || !spokeWithoutCalls(state)) return goOn();
  if (state.nudges >= limits.nudges) {
    return ended(
      failure(
        'stopped_early',
        `the model stopped ${state.nudges + 1} times although todos were open${lastWords(state)}`,
        true,
      ),
    );
  }
  return goOn({ type: 'PhaseNudged', data: { count: state.nudges + 1, message: nudge(state) } });
}

/** A server that is busy or restarting answers again later, so a call to it may be repeated for as long as a phase may wait. */
function identicalFailuresAllowed({ sameFailure, start }: PhaseState): number {
  const { identicalFailures } = start.limits;
  if (!sameFailure?.passing) return identicalFailures;
  return Math.max(identicalFailures, (start.stuck ?? DEFAULT_STUCK_SETTINGS).patience);
}

/** A failure as an event; `retryable` says whether a fresh attempt with the same todos and files makes sense. */
export function failure(code: PhaseFailureCode, message: string, retryable: boolean): PhaseEvent {
  return { type: 'PhaseFailed', data: { code, message, retryable } };
}

function spokeWithoutCalls(state: PhaseState): boolean {
  const last = state.transcript.at(-1);
  return last?.kind === 'answer' && last.answer.calls.length === 0;
}

/** What the model said last: often the reason that a person needs. */
function lastWords(state: PhaseState): string {
  const last = state.transcript.at(-1);
  const words = last?.kind === 'answer' ? last.answer.content.replace(/\s+/g, ' ').trim() : '';
  return words === '' ? '' : `; last it said: ${words.length > 500 ? `${words.slice(0, 500)}…` : words}`;
}

function nudge(state: PhaseState): string {
  const last = state.transcript.at(-1);
  const todo = currentTodo(state.todos);
  const open = openTodos(state.todos).length;
  const cut =
    last?.kind === 'answer' && last.answer.end === 'cut'
      ? 'Your answer was cut off at the length limit; keep it shorter. '
      : '';
  return `${cut}${open} of ${state.todos.length} todos are open, so the phase goes on. Work on todo ${todo?.id}: ${todo?.content} Use the tools, and call ${completingTool(state)} when it is done.`;
}

function goOn(...events: PhaseEvent[]): Advance {
  return { events, next: 'call-model' };
}

function ended(...events: PhaseEvent[]): Advance {
  return { events, next: 'ended' };
}
