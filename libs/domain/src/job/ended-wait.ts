import type { CallId } from '@phaseline/contracts';
import { EXPIRY_ACTOR } from '../phase/expiry-actor.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { ApprovalDecision, CallQuestion, CallState } from '../phase/state/calls.js';
import type { ControlDecision } from './control-decision.js';

/** Actions with which a person ends the wait of a call. */
export type WaitAction = 'approve' | 'refuse' | 'answer';

/** How the wait of a call for a person ended. */
export type EndedWait =
  | { readonly kind: 'approved' | 'refused' | 'answered'; readonly actor: string }
  | { readonly kind: 'expired' | 'timed-out' };

const approvalEnds = ['ApprovalGranted', 'ApprovalRefused'] as const;
const questionEnds = ['QuestionAnswered', 'QuestionTimedOut'] as const;

/** Returns the types of the events that end the kind of wait that an action is for. */
export function listWaitEnds(action: WaitAction): readonly PhaseEvent['type'][] {
  return action === 'answer' ? questionEnds : approvalEnds;
}

/** Returns how an event ended the wait of a call; undefined if it is no such event. */
export function toEndedWait(event: PhaseEvent, callId: CallId): EndedWait | undefined {
  switch (event.type) {
    case 'ApprovalGranted':
      return event.data.callId === callId ? { kind: 'approved', actor: event.data.actor } : undefined;
    case 'ApprovalRefused':
      return event.data.callId === callId ? toRefusal(event.data.actor) : undefined;
    case 'QuestionAnswered':
      return event.data.callId === callId ? { kind: 'answered', actor: event.data.actor } : undefined;
    case 'QuestionTimedOut':
      return event.data.callId === callId ? { kind: 'timed-out' } : undefined;
    default:
      return undefined;
  }
}

/** Returns how the wait of a call of the last response ended; undefined if it never waited, or still does. */
export function findEndedWait(call: CallState | undefined, action: WaitAction): EndedWait | undefined {
  if (!call || call.status === 'denied') return undefined;
  return action === 'answer' ? toEndOfQuestion(call.question) : toEndOfApproval(call.approvalDecision);
}

function toEndOfApproval(decision: ApprovalDecision | undefined): EndedWait | undefined {
  if (!decision) return undefined;
  return decision.refusalReason === undefined ? { kind: 'approved', actor: decision.actor } : toRefusal(decision.actor);
}

function toEndOfQuestion(question: CallQuestion | undefined): EndedWait | undefined {
  if (!question?.end) return undefined;
  return question.end.kind === 'answered' ? { kind: 'answered', actor: question.end.actor } : { kind: 'timed-out' };
}

function toRefusal(actor: string): EndedWait {
  return actor === EXPIRY_ACTOR ? { kind: 'expired' } : { kind: 'refused', actor };
}

/** Refuses a decision on a call that a person, or its deadline, has already decided. `waiting`: calls that wait for such a decision now. */
export function refuseEndedWait(
  callId: CallId,
  end: EndedWait,
  waiting: readonly CallId[] = [],
): Extract<ControlDecision, { readonly kind: 'refused' }> {
  const hint = waiting.length > 0 ? `, and now ${waiting.join(', ')} waits` : '';
  switch (end.kind) {
    case 'approved':
    case 'refused':
    case 'answered': {
      const what = end.kind === 'answered' ? `the question of the call ${callId}` : `the call ${callId}`;
      return {
        kind: 'refused',
        code: 'already_decided',
        reason: `${what} was already ${end.kind} by ${end.actor}${hint}; to tell the agent more, steer its job`,
      };
    }
    case 'expired':
      return {
        kind: 'refused',
        code: 'deadline_passed',
        reason: `the approval of the call ${callId} expired, and the call was refused${hint}; to tell the agent more, steer its job`,
      };
    case 'timed-out':
      return {
        kind: 'refused',
        code: 'deadline_passed',
        reason: `the question of the call ${callId} timed out${hint}; to tell the agent the answer anyway, steer its job`,
      };
  }
}
