import type { Advance } from './advance.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import { buildPhaseFailed } from './phase-failed.js';
import type { PhaseState } from './phase-state.js';

/** What follows from a rejected end of the phase: the model continues, or the phase fails at the limit of rejections. */
export function rejectEnd({ guards, start }: PhaseState, events: readonly PhaseEvent[]): Advance {
  if (guards.rejections < start.terms.limits.gateRejections) return { events, next: 'call-model' };
  const { gate, message } = findRejection(events);
  const by = gate === 'checks' ? 'the checks' : `the gate ${gate}`;
  const times = guards.rejections + 1;
  const reason = `${by} rejected the end of the phase ${times} times; the last reason: ${message}`;
  return { events: [...events, buildPhaseFailed('gate_rejected', reason, true)], next: 'ended' };
}

function findRejection(events: readonly PhaseEvent[]): PhaseEventData<'TransitionRejected'> {
  const last = events.at(-1);
  if (last?.type !== 'TransitionRejected') throw new Error('the end of the phase was not rejected');
  return last.data;
}
