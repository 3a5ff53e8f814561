import type { PhaseFailureCode } from './failure-codes.js';
import type { PhaseEvent } from './phase-events.js';

/** Builds a `PhaseFailed` event. `retryable` says whether another attempt with the same todos and files makes sense. */
export function buildPhaseFailed(code: PhaseFailureCode, message: string, retryable: boolean): PhaseEvent {
  return { type: 'PhaseFailed', data: { code, message, retryable } };
}
