import type { GateInput } from '../gate/check-gates.js';
import { advancePhase, type Advance } from '../phase/advance-phase.js';
import type { PhaseState } from '../phase/phase-state.js';
import { behind, climbLadder } from './climb-ladder.js';

/**
 * `advancePhase`, and where the phase would go on, a look at whether it goes in circles. The limits of the phase come first:
 * what they end is ended by them, and an end that a gate has just refused is the gate's business.
 */
export function advanceWatched(state: PhaseState, gateInput: GateInput): Advance {
  const advance = advancePhase(state, gateInput);
  const heard = state.pendingNotices.length === 0;
  if (advance.next === 'ended' || !heard || advance.events.some(({ type }) => type === 'TransitionRejected'))
    return advance;
  const facts = climbLadder(state);
  if (facts.length === 0) return advance;
  const last = facts.at(-1)!.type;
  if (last === 'PhaseFailed') return { events: facts, next: 'ended' };
  if (last !== 'TodosRewound') return { events: [...advance.events, ...facts], next: 'call-model' };
  const follow = advancePhase(behind(state, facts), gateInput);
  return { ...follow, events: [...facts, ...follow.events] };
}
