import type { PhaseEvent } from './phase-events.js';

/** What follows once no call is outstanding: events to record, and whether to call the model again, wait or end. */
export interface Advance {
  readonly events: readonly PhaseEvent[];
  /** `wait`: runs of verifiers, guards or judges are due first. `decide`: the controller of the phase is due. */
  readonly next: 'call-model' | 'ended' | 'wait' | 'decide';
}
