import type { ToolRunnerParts } from '@phaseline/execution';

/** Tells the application about ended calls, if it wants to know. */
export class EndedCalls {
  constructor(readonly onCallEnded: ToolRunnerParts['onCallEnded']) {}
}
