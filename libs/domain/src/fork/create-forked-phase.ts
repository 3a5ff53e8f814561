import type { CallState, PhaseState } from '../phase/phase-state.js';
import type { PhaseEventData } from '../phase/phase-events.js';

/**
 * Creates the initial state of a forked phase from the state of the parent's phase. A model call that was open there belongs
 * to the parent: the fork makes its own and does not count the other's reservation.
 */
export function createForkedPhase(parent: PhaseState, forked: PhaseEventData<'PhaseForked'>): PhaseState {
  const { openModelCall: _call, paused: _paused, editedResponse: _edited, ...kept } = parent;
  const { jobId, changes, allowance, recording, editedResponse, approvalsExpireAt } = forked;
  const { recording: _before, ...start } = parent.start;
  return {
    ...kept,
    version: 1,
    start: {
      ...start,
      identity: { ...start.identity, ...changes.identity, jobId },
      terms: { ...start.terms, ...changes.terms, allowance },
      plan: { ...start.plan, ...changes.plan },
      routes: { ...start.routes, ...changes.routes },
      ...(recording ? { recording } : {}),
    },
    epoch: 0,
    allowance,
    takeovers: 0,
    calls: approvalsExpireAt === undefined ? parent.calls : extendApprovals(parent.calls, approvalsExpireAt),
    ...(editedResponse ? { editedResponse } : {}),
  };
}

function extendApprovals(calls: PhaseState['calls'], expiresAt: string): PhaseState['calls'] {
  const extend = (call: CallState): CallState => (call.status === 'awaiting-approval' ? { ...call, expiresAt } : call);
  return Object.fromEntries(Object.entries(calls).map(([callId, call]) => [callId, extend(call)]));
}
