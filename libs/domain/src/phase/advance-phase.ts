import { clip, toCanonicalJson, toSingleLine } from '@phaseline/basics';
import { buildPhaseRefusal, evaluatePhaseClaim } from '../claim/phase-claim.js';
import type { ClaimTexts } from '../claim/claim-input.js';
import { findOpenClaim, raiseClaim } from '../claim/claim-runs.js';
import { findFatalUnrecorded } from '../fork/unrecorded-policy.js';
import { checkGates, type GateResult } from '../gate/check-gates.js';
import type { GateInput } from '../gate/gate-input.js';
import { DEFAULT_STUCK_SETTINGS } from '../stuck/stuck-settings.js';
import { getCompletingTool } from '../todo/completing-tool.js';
import { currentTodo, openTodos } from '../todo/todo.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import type { Advance } from './advance.js';
import { advanceControlled, callsModel, findMissingWork } from './control-phase.js';
import { chooseOutcome } from './pending-outcome.js';
import { NOT_RECORDED } from './failure-codes.js';
import { buildPhaseFailed } from './phase-failed.js';
import { rejectEnd } from './reject-end.js';
import { getReturningTool } from '../return/return-settings.js';
import { pickRewindReason, checkRewindLimit } from './rewind.js';

const NO_TEXTS: ClaimTexts = new Map();

/** Number of lists of items that a phase may hand in before it fails. */
const MAX_REFUSED_LISTS = 2;

/**
 * Decides, after the last call of an answer has ended, whether the phase continues, completes or fails. A model that stops
 * while todos are open does not end the phase: it is told what to do next, up to the limit of nudges.
 */
export function advancePhase(state: PhaseState, gateInput: GateInput): Advance {
  const { limits, toolFailures } = state.start.terms;
  const { exhausted } = state.guards;
  if (exhausted && toolFailures?.onExhausted === 'fail') {
    const { name, attempts, message } = exhausted;
    const times = attempts === 1 ? 'once' : `${attempts} times`;
    return endWith(
      buildPhaseFailed(
        'tool_exhausted',
        `${name} failed ${times} and the agent ends then: ${clip(message, 500)}`,
        false,
      ),
    );
  }
  const unrecorded = findFatalUnrecorded(state);
  if (unrecorded) {
    const { name, callId, arguments: args } = unrecorded;
    const call = `${name} ${clip(toCanonicalJson(args), 300)} (${callId})`;
    const message = `the recording has no result of the call ${call}, and this fork fails without one`;
    return endWith(buildPhaseFailed(NOT_RECORDED, message, false));
  }
  const { refusedLists = 0 } = state.todos;
  if (refusedLists >= MAX_REFUSED_LISTS)
    return endWith(buildPhaseFailed('items_refused', `${refusedLists} lists of items were refused`, false));
  const choice = chooseOutcome(state, gateInput);
  // A message from a person is delivered before anything else is decided.
  const hasUnreadMessage = callsModel(state) && state.conversation.pendingNotices.length > 0;
  if (choice && !hasUnreadMessage) {
    const { outcome: pending } = choice;
    const rewindLimitFailure = checkRewindLimit(state);
    if (rewindLimitFailure) return endWith(rewindLimitFailure);
    const subject = { kind: 'phase' as const, outcome: pending.outcome };
    if (choice.runs) return { events: raiseClaim(state, { subject }, choice.runs), next: 'wait' };
    const gateResult = checkGates(pending.gates, state, gateInput);
    const claim = gateResult.passed ? evaluatePhaseClaim(state, pending, gateInput.claimTexts ?? NO_TEXTS) : undefined;
    if (claim?.kind === 'open') return { events: raiseClaim(state, { subject }, claim.runs), next: 'wait' };
    if (gateResult.passed && claim?.kind === 'holds') {
      const open = findOpenClaim(state);
      const accepted: readonly PhaseEvent[] = open
        ? [{ type: 'ClaimAccepted', data: { claim: open.claim, subject } }]
        : [];
      const plan = gateResult.plan && { ...gateResult.plan, todos: [...gateResult.plan.todos] };
      return endWith(...accepted, {
        type: 'PhaseCompleted',
        data: {
          outcome: pending.outcome,
          ...(plan ? { plan } : {}),
          ...(state.todos.proposal ? { completion: state.todos.proposal } : {}),
          ...(state.todos.returned ? { returned: state.todos.returned } : {}),
          ...(state.todos.rewound ? { rewound: pickRewindReason(state.todos.rewound) } : {}),
          ...(claim.evidence.length > 0 ? { evidence: [...claim.evidence] } : {}),
        },
      });
    }
    const events =
      claim?.kind === 'fails'
        ? buildPhaseRefusal(state, pending, claim.failures)
        : [buildGateRejection(pending.outcome, gateResult)];
    return rejectEnd(state, events);
  }
  const texts = gateInput.claimTexts ?? NO_TEXTS;
  const controlled = hasUnreadMessage ? undefined : advanceControlled(state, texts);
  if (controlled) return controlled;
  if (state.guards.deniedCallsInARow >= limits.deniedCalls) {
    return endWith(
      buildPhaseFailed('denied_calls', `${state.guards.deniedCallsInARow} calls in a row were denied`, true),
    );
  }
  const refusedTodos = state.guards.refusals.todo ?? 0;
  if (refusedTodos >= limits.gateRejections) {
    const last = quoteLastRefusal(state);
    return endWith(buildPhaseFailed('claim_refused', `${refusedTodos} claims in a row were refused${last}`, true));
  }
  if (state.money.spending.steps >= limits.steps) {
    return endWith(
      buildPhaseFailed(
        'step_limit',
        `the phase reached its limit of ${limits.steps} steps with ${nameOpenWork(state)} still open`,
        true,
      ),
    );
  }
  const { sameFailure } = state.guards;
  if (sameFailure && sameFailure.count >= maxIdenticalFailures(state)) {
    const message = `the same call failed ${sameFailure.count} times in the same way: ${sameFailure.key.slice(0, 500)}`;
    return endWith(buildPhaseFailed('repeated_failure', message, true));
  }
  if (hasUnreadMessage || findLastAnswer(state)?.calls.length !== 0) return continueWith();
  if (state.guards.nudges >= limits.nudges) {
    return endWith(
      buildPhaseFailed(
        'stopped_early',
        `the model stopped ${state.guards.nudges + 1} times although ${nameOpenWork(state)} ${state.start.plan.controller ? 'was' : 'were'} open${quoteLastAnswer(state)}`,
        true,
      ),
    );
  }
  return continueWith({
    type: 'PhaseNudged',
    data: { count: state.guards.nudges + 1, message: renderNudge(state, texts) },
  });
}

/** A busy or restarting server recovers, so a call with a transient failure may be repeated while the phase may wait. */
function maxIdenticalFailures({ guards: { sameFailure }, start }: PhaseState): number {
  const { identicalFailures } = start.terms.limits;
  if (!sameFailure?.passing) return identicalFailures;
  return Math.max(identicalFailures, (start.terms.stuck ?? DEFAULT_STUCK_SETTINGS).waitingSteps);
}

function buildGateRejection(outcome: string, result: GateResult): PhaseEvent {
  if (result.passed) throw new Error('no gate rejected the end of the phase');
  const { gate, message } = result;
  return { type: 'TransitionRejected', data: { gate, outcome, message } };
}

/** Returns the model's answer if it is the last entry of the conversation. */
function findLastAnswer({ conversation }: PhaseState): PhaseEventData<'ModelResponded'> | undefined {
  const last = conversation.transcript.at(-1);
  return last?.kind === 'answer' ? last.answer : undefined;
}

function nameOpenWork({ start }: PhaseState): string {
  return start.plan.controller ? 'the task' : 'todos';
}

/** Quotes the model's last answer, which often contains the reason that a person needs. */
function quoteLastAnswer(state: PhaseState): string {
  const words = toSingleLine(findLastAnswer(state)?.content ?? '');
  return words === '' ? '' : `; its last message: ${clip(words, 500)}`;
}

/** Quotes why the last claim was refused, from the result of its call. */
function quoteLastRefusal({ guards }: PhaseState): string {
  return guards.lastRefusal === undefined ? '' : `; the last reason: ${clip(guards.lastRefusal, 500)}`;
}

function renderNudge(state: PhaseState, texts: ClaimTexts): string {
  const todo = currentTodo(state.todos.list);
  const open = openTodos(state.todos.list).length;
  const cut =
    findLastAnswer(state)?.end === 'truncated'
      ? 'Your response was cut off at the length limit. Keep it shorter. '
      : '';
  const missing = findMissingWork(state, texts);
  if (missing !== undefined) return `${cut}The phase continues: ${missing}\nUse the tools.`;
  if (!todo)
    return `${cut}All todos are done, and the phase ends with its return. Call ${getReturningTool(state.start.plan.listing !== undefined)} with the result.`;
  return `${cut}${open} of ${state.todos.list.length} todos are open, so the phase continues. Work on todo ${todo.id}: ${todo.content} Use the tools, and call ${getCompletingTool(state)} when it is finished.`;
}

function continueWith(...events: PhaseEvent[]): Advance {
  return { events, next: 'call-model' };
}

function endWith(...events: PhaseEvent[]): Advance {
  return { events, next: 'ended' };
}
