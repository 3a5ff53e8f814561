import type { Guard, PhaseState } from '@phaseline/domain';

/** A guard that is tried on a log. In shadow it is asked where live guards are, and what it decides is recorded without effect. */
export function toShadow(guard: Guard): Guard {
  return { ...guard, stage: 'shadow' };
}

/** The phase as if it had begun with one guard more. */
export function addGuard(state: PhaseState, guard: Guard): PhaseState {
  return withGuards(state, [...(state.start.terms.guards ?? []), guard]);
}

/** The phase as if it had begun with these guards. */
export function withGuards(state: PhaseState, guards: readonly Guard[]): PhaseState {
  const { start } = state;
  return { ...state, start: { ...start, terms: { ...start.terms, guards: guards as Guard[] } } };
}
