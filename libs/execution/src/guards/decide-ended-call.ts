import { type AdmittedCall, type GuardWait, type PhaseEvent } from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import { isRecorded, type GuardDecision, type GuardEvent } from '@phaseline/guards';
import type { ResponseSource } from '../ports.js';
import type { PendingCommit } from '../step/pending-commit.js';
import { askPureGuardsOnce, toGuardDecided } from './ask-guards.js';
import { awaitGuards, findCommandGuards, readDecisions, settle } from './command-guards.js';

/**
 * Asks the guards of the phase about a call whose end was just recorded. What rules and scripts say is recorded at once; command guards are
 * awaited before the phase continues.
 */
export async function recordEndedCall(commit: PendingCommit, callId: CallId, source: ResponseSource): Promise<void> {
  const { state } = commit;
  const call = state.calls.byId[callId];
  if (!state.start.terms.guards || state.end) return;
  // A call that was denied or refused did not run.
  if (call?.status !== 'completed' && call?.status !== 'failed') return;
  if (call.traits.includes('system')) return;
  const point = call.status === 'completed' ? 'PostToolUse' : 'PostToolUseFailure';
  const moment = { callId, after: 'end' as const };
  commit.record(...(await source.decideCallGuards(state, moment, () => decideEndedCall(commit, call, point))));
}

/** Records what the awaited guards said about an ended call. */
export async function continueEndedCall(commit: PendingCommit, wait: GuardWait): Promise<readonly PhaseEvent[]> {
  const event: GuardEvent = { point: wait.point, ...(wait.callId === undefined ? {} : { callId: wait.callId }) };
  return [...toEvents(event, readDecisions(commit, wait)), settle(wait)];
}

async function decideEndedCall(
  commit: PendingCommit,
  { callId, name, arguments: args, result: output = '' }: AdmittedCall,
  point: 'PostToolUse' | 'PostToolUseFailure',
): Promise<readonly PhaseEvent[]> {
  const { state } = commit;
  const record = state.work.calls.findLast((one) => one.callId === callId);
  const event: GuardEvent = {
    point,
    callId,
    tool: name,
    arguments: args,
    ...(record?.result ? { result: record.result } : {}),
    output,
  };
  const pure = toEvents(event, await askPureGuardsOnce(commit, event));
  const guards = findCommandGuards(state, point, name);
  return guards.length === 0 ? pure : [...pure, ...awaitGuards(state, guards, { point, callId, round: 1 })];
}

/** The recorded decisions. Of an amendment only the text that replaces the result counts. */
function toEvents(event: GuardEvent, decisions: readonly GuardDecision[]): readonly PhaseEvent[] {
  return decisions.filter(isRecorded).map((decision) => {
    const content = decision.kind === 'amend' ? decision.arguments?.['content'] : undefined;
    return toGuardDecided(event, typeof content === 'string' ? { ...decision, arguments: { content } } : decision);
  });
}
