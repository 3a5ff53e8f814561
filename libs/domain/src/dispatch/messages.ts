import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseKind } from '../workflow/workflow.js';

/** "Look at this phase": the kind of the phase names the queue. */
export interface PhaseMessage {
  readonly queue: PhaseKind;
  readonly options: {
    /** The same work has the same id, so that a second dispatch is dropped by the queue. */
    readonly id: string;
    readonly priority?: number;
  };
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
  readonly options: { readonly id: string };
  readonly payload: { readonly jobId: string; readonly phase: number; readonly callId: string; readonly epoch: number };
}

/** The message that makes a worker look at a phase as it stands now. */
export function phaseMessage(state: PhaseState): PhaseMessage {
  const { jobId, phase, kind } = state.start;
  const { version, epoch } = state;
  const id = `${jobId}-${phase}-v${version}-e${epoch}`;
  return { queue: kind, options: { id, ...priorityOf(state) }, payload: { jobId, phase, version, epoch } };
}

/** The message for one due `runner` call of a phase. */
export function toolMessage(state: PhaseState, callId: string): ToolMessage {
  const { jobId, phase } = state.start;
  const { epoch } = state;
  const id = `${jobId}-${phase}-${callId}-e${epoch}`;
  // Without the job's priority: on a queue priorities count across tenants, and the slot has been given in turn already.
  return { queue: 'tools', options: { id }, payload: { jobId, phase, callId, epoch } };
}

function priorityOf(state: PhaseState): { readonly priority?: number } {
  const { priority } = state.start;
  return priority === undefined || priority === 0 ? {} : { priority };
}

/** The message that makes the orchestrator look at a job when a timer is due. */
export interface TimerMessage {
  readonly queue: 'timers';
  readonly options: { readonly id: string; readonly delayMs: number };
  readonly payload: { readonly jobId: string; readonly timer: string };
}

/** "Look at this job at `dueAt`". A timer that is overdue is sent without delay. */
export function timerMessage(jobId: string, timer: string, dueAt: string, now: Date): TimerMessage {
  const delayMs = Math.max(0, Date.parse(dueAt) - now.getTime());
  return { queue: 'timers', options: { id: `${jobId}-${timer}`, delayMs }, payload: { jobId, timer } };
}
