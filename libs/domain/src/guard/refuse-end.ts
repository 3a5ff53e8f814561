import { buildPhaseRefusal } from '../claim/phase-claim.js';
import type { Advance } from '../phase/advance.js';
import { isSubagentPhase } from '../phase/is-subagent-phase.js';
import type { PhaseEvent, PhaseEventData } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { rejectEnd } from '../phase/reject-end.js';
import { applyEvents } from '../stuck/climb-ladder.js';
import { buildGuardFailure, renderGuardRefusal, type GuardRefusal } from './guard-refusal.js';
import type { HookPoint } from './guard-vocabulary.js';

/** The hook point of the end of a phase: `Stop` for the job's own agent, `SubagentStop` for any other. */
export function getEndPoint(start: PhaseState['start']): HookPoint & ('Stop' | 'SubagentStop') {
  return isSubagentPhase({ start }) ? 'SubagentStop' : 'Stop';
}

/** The end that the phase claims with an advance: its outcome, and the index of the event that claims it. */
export interface ClaimedEnd {
  readonly outcome: string;
  readonly index: number;
  /** The runs for which the claim has to wait; empty if it is decided. */
  readonly waitsFor: PhaseEventData<'ClaimRaised'>['runs'];
}

/** Finds the end that a phase claims; `undefined` if it continues or fails. */
export function findClaimedEnd({ events }: Advance): ClaimedEnd | undefined {
  for (const [index, event] of events.entries()) {
    const outcome = getClaimedOutcome(event);
    if (outcome !== undefined) return { outcome, index, waitsFor: event.type === 'ClaimRaised' ? event.data.runs : [] };
  }
  return undefined;
}

function getClaimedOutcome({ type, data }: PhaseEvent): string | undefined {
  if (type === 'PhaseCompleted') return data.outcome;
  if (type !== 'ClaimRaised' && type !== 'ClaimAccepted') return undefined;
  return data.subject.kind === 'phase' ? data.subject.outcome : undefined;
}

/** What follows instead of an advance whose end a guard refused. */
export function refuseClaimedEnd(
  state: PhaseState,
  { events }: Advance,
  { outcome, index }: ClaimedEnd,
  refusal: GuardRefusal,
): Advance {
  const before = events.slice(0, index);
  const claimed = applyEvents(state, before);
  const refused = buildPhaseRefusal(claimed, { outcome }, [buildGuardFailure(refusal)], renderGuardRefusal(refusal));
  const rejected = rejectEnd(claimed, refused);
  return { ...rejected, events: [...before, ...rejected.events] };
}
