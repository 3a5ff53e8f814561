import {
  findGuardRefusal,
  listCurrentOverrides,
  type GuardRefusal,
  type GuardRun,
  type PhaseEvent,
} from '@phaseline/domain';
import {
  isRecorded,
  readCommandDecisions,
  restrictToPoint,
  type GuardDecision,
  type GuardEvent,
} from '@phaseline/guards';
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
    return recorded.map((decision) => {
      const limited = restrictToPoint(decision, point, state.start.terms.guards ?? []);
      return toGuardDecided(event, withSuggestion(limited));
    });
  });
  return recordDecided(commit, decided);
}

/** Records what guards decided whose runs have ended, and returns the first refusal that has an effect. */
export async function decideWithRuns(
  commit: PendingCommit,
  { point, callId }: GuardEvent,
  by: 'command' | 'judge',
  runs: readonly GuardRun[],
  { source }: Pick<GuardParts, 'source'>,
): Promise<GuardRefusal | undefined> {
  const { state, now } = commit;
  const decided = await source.decideGuards(state, { point, callId, by }, async () => {
    const overrides = listCurrentOverrides(state.guards.overrides, now);
    const decisions = readCommandDecisions(state, runs, overrides);
    return decisions.filter(isRecorded).map((decision) => {
      const limited = restrictToPoint(decision, point, state.start.terms.guards ?? []);
      return toGuardDecided({ point, ...(callId === undefined ? {} : { callId }) }, withContext(limited));
    });
  });
  return recordDecided(commit, decided);
}

function recordDecided(commit: PendingCommit, decided: readonly PhaseEvent[]): GuardRefusal | undefined {
  commit.record(...decided);
  return findGuardRefusal(decided);
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
