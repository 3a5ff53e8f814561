import type { CallEndListener } from '@phaseline/execution';

/** Tells the application about ended calls, if it wants to know. */
export class EndedCalls {
  constructor(readonly callEnds: CallEndListener | undefined) {}
}
