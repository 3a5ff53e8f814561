import type { CallId } from '@phaseline/contracts';
import { requestSystemCall, systemTools } from '../claim/system-calls.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** Time of a health check in milliseconds, unless its definition ends it earlier. */
const HEALTH_MS = 900_000;

/** How a verifier of the kind `health` ended when the phase began. */
export interface HealthOutcome {
  readonly name: string;
  readonly passed: boolean;
  readonly reason: string;
}

/** Builds the calls that check the health of the project before the first step; none if they were made, or the agent has no such verifier. */
export function requestHealthChecks(state: PhaseState): readonly PhaseEvent[] {
  const { health = [] } = state.start.plan;
  if (state.money.spending.steps > 0 || health.some((_, index) => state.calls.byId[idOf(state, index)])) return [];
  return health.map((name, index) =>
    requestSystemCall(state, {
      callId: idOf(state, index),
      name: systemTools.verifier,
      arguments: { name },
      timeoutMs: HEALTH_MS,
      parent: `health_${state.start.identity.phase}`,
    }),
  );
}

/** How the health checks of the phase ended, for the first prompt. */
export function listHealthOutcomes(state: PhaseState): readonly HealthOutcome[] {
  const { health = [] } = state.start.plan;
  return health.flatMap((name, index) => {
    const record = state.work.calls.find(({ callId }) => callId === idOf(state, index));
    if (!record) return [];
    const { outcome, reason } = record.result ?? {};
    return [
      { name, passed: outcome === 'passed', reason: typeof reason === 'string' ? reason : 'it could not be run' },
    ];
  });
}

function idOf({ start }: PhaseState, index: number): CallId {
  return `health_${start.identity.phase}_${index + 1}`;
}
