import type { GateInput } from '../gate/gate-input.js';
import { advancePhase } from '../phase/advance-phase.js';
import type { Advance } from '../phase/advance.js';
import type { PhaseState } from '../phase/phase-state.js';
import { applyEvents, climbLadder } from './climb-ladder.js';

/**
 * Runs `advancePhase` and, if the phase would continue, checks whether it is stuck. The limits of the phase come first, and
 * a phase whose end a gate has just rejected is not checked.
 */
export function advanceOrUnstick(state: PhaseState, gateInput: GateInput): Advance {
  const advance = advancePhase(state, gateInput);
  const allMessagesRead = state.conversation.pendingNotices.length === 0;
  if (
    advance.next !== 'call-model' ||
    !allMessagesRead ||
    advance.events.some(({ type }) => type === 'TransitionRejected')
  )
    return advance;
  const ladderEvents = climbLadder(state);
  if (ladderEvents.length === 0) return advance;
  const last = ladderEvents.at(-1)!.type;
  if (last === 'PhaseFailed') return { events: ladderEvents, next: 'ended' };
  if (last !== 'TodosRewound') return { events: [...advance.events, ...ladderEvents], next: 'call-model' };
  const followUp = advancePhase(applyEvents(state, ladderEvents), gateInput);
  return { ...followUp, events: [...ladderEvents, ...followUp.events] };
}
