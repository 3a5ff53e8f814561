import { phaseStream } from '../stream/stream-name.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseEventData } from '../phase/phase-events.js';
import { restartQuestion } from '../question/restart-question.js';
import {
  isAsking,
  isAwaitingApproval,
  isDelegating,
  type CallState,
  type DelegatingCall,
  type PhaseCalls,
} from '../phase/state/calls.js';
import { releaseReservation } from '../phase/state/money.js';
import type { PhaseModelCall } from '../phase/state/model-call.js';

/**
 * Creates the initial state of a forked phase from the state of the parent's phase. A model call that was open there belongs
 * to the parent: the fork makes its own call and does not count the parent's reservation.
 */
export function createForkedPhase(parent: PhaseState, forked: PhaseEventData<'PhaseForked'>): PhaseState {
  const { jobId, changes, allowance, recording } = forked;
  const { recording: _before, ...start } = parent.start;
  // Overrides were granted for the parent alone.
  const { guardOverrides: _overrides, ...terms } = start.terms;
  return {
    ...parent,
    version: 1,
    start: {
      ...start,
      identity: { ...start.identity, ...changes.identity, jobId },
      terms: { ...terms, ...changes.terms, allowance },
      plan: { ...start.plan, ...changes.plan },
      routes: changes.routes ?? start.routes,
      ...(recording ? { recording } : {}),
    },
    calls: extendWaits(parent.calls, forked),
    money: { ...withoutChildJobs(parent), allowance },
    modelCall: createModelCall(parent.modelCall, forked),
    guards: { ...parent.guards, overrides: [] },
    paused: undefined,
    work: {
      ...parent.work,
      streamId: phaseStream(jobId, forked.phase),
      earlierEvents: parent.work.earlierEvents + parent.version,
    },
  };
}

function createModelCall(
  { awaited }: PhaseModelCall,
  { editedResponse }: PhaseEventData<'PhaseForked'>,
): PhaseModelCall {
  return { epoch: 0, takeovers: 0, awaited, editedResponse };
}

/** Returns the money of the parent without what it reserved for child jobs that have not ended. */
function withoutChildJobs({ calls, money }: PhaseState): PhaseState['money'] {
  const open = Object.values(calls.byId).filter(isDelegating);
  const unconfirmed = open.reduce((left, { child }) => releaseReservation(left, child.reserved), money.unconfirmed);
  return { ...money, unconfirmed };
}

function withoutChild({ child: _child, ...call }: DelegatingCall): Omit<DelegatingCall, 'child'> {
  return call;
}

function extendWaits(
  { byId, ...calls }: PhaseCalls,
  { approvalsExpireAt, questionsAskedAt }: PhaseEventData<'PhaseForked'>,
): PhaseCalls {
  const extend = (call: CallState): CallState => {
    if (isAwaitingApproval(call) && approvalsExpireAt !== undefined) return { ...call, expiresAt: approvalsExpireAt };
    if (isAsking(call) && questionsAskedAt !== undefined)
      return { ...call, question: restartQuestion(call.question, questionsAskedAt) };
    // The child job belongs to the parent; the fork starts its own.
    if (isDelegating(call)) return { ...withoutChild(call), status: 'requested' };
    return call;
  };
  return { ...calls, byId: Object.fromEntries(Object.entries(byId).map(([callId, call]) => [callId, extend(call)])) };
}
