import { hasCallEnded, type GuardOverride, type GuardRun, type PhaseState } from '@phaseline/domain';
import { readCommandDecision } from './command-decision.js';
import { findOverride } from './decide-pure-guards.js';
import type { GuardDecision } from './guard-input.js';

/**
 * Reads what command guards decided about a call, from the calls of the system that asked them. A guard whose call failed could not decide: it
 * fails closed, unless it says `onFailure: continue`.
 */
export function readCommandDecisions(
  state: PhaseState,
  runs: readonly GuardRun[],
  overrides: readonly GuardOverride[],
): readonly GuardDecision[] {
  return runs.flatMap(({ guard: ref, callId }): readonly GuardDecision[] => {
    const guard = state.start.terms.guards?.find(({ name, scope }) => name === ref.name && scope === ref.scope);
    const decision = guard && readCommandDecision(guard, readRun(state, callId));
    if (!decision) return [];
    const override = findOverride(ref, overrides);
    return split(override ? { ...decision, override } : decision);
  });
}

function readRun({ calls, work }: PhaseState, callId: string) {
  const call = calls.byId[callId];
  const record = work.calls.findLast((one) => one.callId === callId);
  if (record?.outcome === 'completed') return { result: record.result };
  return { failure: (call && hasCallEnded(call) ? call.result : undefined) ?? 'it was not asked' };
}

/** A guard that asks a person about other arguments both amends and asks. */
function split(decision: GuardDecision): readonly GuardDecision[] {
  const { kind, arguments: args, context: _context, failure: _failure, ...amends } = decision;
  if (kind !== 'ask' || !args) return [decision];
  const { arguments: _args, ...asks } = decision;
  return [{ ...amends, kind: 'amend', arguments: args }, asks];
}
