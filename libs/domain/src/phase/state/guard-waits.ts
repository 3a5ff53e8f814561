import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** Guards whose runs have not all ended, or on whose decisions nothing was done yet. */
export type GuardWait = Readonly<Omit<PhaseEventData<'GuardsAwaited'>, 'call'>>;

/** What waits for guards that are not pure, in the order in which it began to wait. */
export type GuardWaits = readonly GuardWait[];

export function foldGuardWaits(waits: GuardWaits, event: ChangeEvent): GuardWaits {
  switch (event.type) {
    case 'GuardsAwaited': {
      const { call: _call, ...wait } = event.data;
      return [...waits, wait];
    }
    case 'GuardsSettled': {
      const { point, callId } = event.data;
      return waits.filter((wait) => wait.point !== point || wait.callId !== callId);
    }
    default:
      return keep(waits, 'guardWaits', event);
  }
}
