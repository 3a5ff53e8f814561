import { foldPhase, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';

/** Returns the state of a tactical phase after its start and `events`. */
export function foldStartedPhase(start: StartChanges, ...events: readonly PhaseEvent[]): PhaseState {
  const changes: StartChanges = {
    ...start,
    identity: { phase: 2, ...start.identity },
    terms: { tools: ['work'], ...start.terms },
    plan: { todos: [{ id: 1, content: 'Do the thing', status: 'open' }], ...start.plan },
  };
  return foldPhase([buildPhaseStart(changes), ...events])!;
}

/** Builds the request of an inline call with the id `c` that has not run. */
export function buildRequested(name: string, args = {}): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: { callId: 'c', step: 1, name, arguments: args, lane: 'inline', effect: 'pure', traits: [], timeoutMs: 1_000 },
  } as PhaseEvent;
}

export const noBlobs = { get: async () => undefined };
