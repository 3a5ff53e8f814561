import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** Who paused the phase and why; `undefined` unless it is paused. */
export type PhasePause = PhaseEventData<'PhasePaused'> | undefined;

export function foldPause(paused: PhasePause, event: ChangeEvent): PhasePause {
  switch (event.type) {
    case 'PhasePaused':
      return event.data;
    case 'PhaseResumed':
      return undefined;
    default:
      return keep(paused, 'paused', event);
  }
}
