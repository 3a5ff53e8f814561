import {
  findGuardRefusal,
  hasCallEnded,
  listCurrentOverrides,
  type Guard,
  type GuardRefusal,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import { findOverride, isRecorded, readCommandDecision, type GuardDecision, type GuardEvent } from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { ResponseSource } from '../ports.js';
import type { PendingCommit } from '../step/pending-commit.js';
import { askPureGuards, toGuardDecided } from './ask-guards.js';

/** What asking guards at a moment of a phase uses. */
export interface GuardParts {
  readonly source: ResponseSource;
  readonly tools: ToolRegistry;
}

/**
 * Records what pure guards decide at a moment that is no admission of a call, and returns the first refusal that has an effect. What the model
 * can do instead is part of the recorded reason.
 */
export async function decideWithPureGuards(
  commit: PendingCommit,
  event: GuardEvent,
  { source, tools }: GuardParts,
): Promise<GuardRefusal | undefined> {
  const { state } = commit;
  if (state.start.terms.guards === undefined) return undefined;
  const { point, callId } = event;
  const decided = await source.decideGuards(state, { point, callId }, async () => {
    const { recorded } = await askPureGuards(commit, event, tools);
    return recorded.map((decision) => toGuardDecided(event, withSuggestion(decision)));
  });
  return recordDecided(commit, decided);
}

/** A guard that was run by a call of the system. */
export interface GuardRun {
  readonly guard: Guard;
  readonly callId: CallId;
}

/** Records what guards decided whose runs have ended, and returns the first refusal that has an effect. */
export async function decideWithRuns(
  commit: PendingCommit,
  { point, callId }: GuardEvent,
  runs: readonly GuardRun[],
  { source }: Pick<GuardParts, 'source'>,
): Promise<GuardRefusal | undefined> {
  const { state, now } = commit;
  const decided = await source.decideGuards(state, { point, callId, isRun: true }, async () => {
    const overrides = listCurrentOverrides(state.guards.overrides, now);
    return runs.flatMap(({ guard, callId: run }) => {
      const decision = readRun(state, guard, run);
      if (!decision || !isRecorded(decision)) return [];
      const override = findOverride(guard, overrides);
      const final = { ...withContext(decision), ...(override ? { override } : {}) };
      return [toGuardDecided({ point, ...(callId === undefined ? {} : { callId }) }, final)];
    });
  });
  return recordDecided(commit, decided);
}

function recordDecided(commit: PendingCommit, decided: readonly PhaseEvent[]): GuardRefusal | undefined {
  commit.record(...decided);
  return findGuardRefusal(decided);
}

function readRun({ calls, work }: PhaseState, guard: Guard, callId: CallId): GuardDecision | undefined {
  const call = calls.byId[callId];
  const record = work.calls.find((one) => one.callId === callId);
  if (!call || !record || !hasCallEnded(call)) throw new Error(`the run ${callId} of ${guard.name} has not ended`);
  const failure = record.outcome === 'failed' ? (call.result ?? 'it failed') : undefined;
  return readCommandDecision(guard, { result: record.result, failure });
}

function withSuggestion(decision: GuardDecision): GuardDecision {
  const { reason, suggest } = decision;
  return suggest === undefined ? decision : { ...decision, reason: [reason, suggest].filter(Boolean).join('\n') };
}

/** A model reads the context of a refusal with its reason. */
function withContext(decision: GuardDecision): GuardDecision {
  const { kind, reason, context } = decision;
  return kind === 'deny' && context !== undefined
    ? { ...decision, reason: [reason, context].filter(Boolean).join('\n') }
    : decision;
}
