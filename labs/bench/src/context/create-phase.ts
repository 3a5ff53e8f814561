import { foldPhase, type PhaseState } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';

/** Creates a phase that has just started, for the measurement of prompts. */
export function createPhase(changes: StartChanges): PhaseState {
  const start = buildPhaseStart({
    ...changes,
    identity: {
      phase: 2,
      agent: { name: 'measured', displayName: 'Measured', description: '' },
      ...changes.identity,
    },
    plan: { todos: [{ id: 1, content: 'Work', status: 'open' }], ...changes.plan },
  });
  return foldPhase([start])!;
}
