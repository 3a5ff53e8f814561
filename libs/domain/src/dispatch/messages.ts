import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseKind } from '../workflow/workflow.js';

/** "Look at this phase": the kind of the phase names the queue. */
export interface PhaseMessage {
  readonly queue: PhaseKind;
  /** The same work has the same id, so that a second dispatch is dropped by the queue. */
  readonly id: string;
  readonly payload: {
    readonly jobId: string;
    readonly phase: number;
    readonly version: number;
    readonly epoch: number;
  };
}

/** "Run this call". */
export interface ToolMessage {
  readonly queue: 'tools';
  readonly id: string;
  readonly payload: { readonly jobId: string; readonly phase: number; readonly callId: string; readonly epoch: number };
}

/** The message that makes a worker look at a phase as it stands now. */
export function phaseMessage(state: PhaseState): PhaseMessage {
  const { jobId, phase, kind } = state.start;
  const { version, epoch } = state;
  return { queue: kind, id: `${jobId}-${phase}-v${version}-e${epoch}`, payload: { jobId, phase, version, epoch } };
}

/** The message for one due `runner` call of a phase. */
export function toolMessage(state: PhaseState, callId: string): ToolMessage {
  const { jobId, phase } = state.start;
  const { epoch } = state;
  return { queue: 'tools', id: `${jobId}-${phase}-${callId}-e${epoch}`, payload: { jobId, phase, callId, epoch } };
}
