import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseKind } from '../workflow/workflow.js';

/** Message to process a phase. The kind of the phase is the name of the queue. */
export interface PhaseMessage {
  readonly queue: PhaseKind;
  readonly options: {
    /** The same work has the same id, so that the queue drops a duplicate dispatch. */
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

/** Message to run a tool call. */
export interface ToolMessage {
  readonly queue: 'tools';
  readonly options: { readonly id: string };
  readonly payload: { readonly jobId: string; readonly phase: number; readonly callId: string; readonly epoch: number };
}

/** Builds the message that makes a worker process a phase in its current state. */
export function buildPhaseMessage(state: PhaseState): PhaseMessage {
  const { jobId, phase, kind } = state.start;
  const { version, epoch } = state;
  const id = `${jobId}-${phase}-v${version}-e${epoch}`;
  return { queue: kind, options: { id, ...priorityOf(state) }, payload: { jobId, phase, version, epoch } };
}

/** Builds the message for a due `runner` call of a phase. */
export function buildToolMessage(state: PhaseState, callId: string): ToolMessage {
  const { jobId, phase } = state.start;
  const { epoch } = state;
  const id = `${jobId}-${phase}-${callId}-e${epoch}`;
  // Without the job's priority: queue priorities apply across tenants, and the slot was already granted in turn.
  return { queue: 'tools', options: { id }, payload: { jobId, phase, callId, epoch } };
}

function priorityOf(state: PhaseState): { readonly priority?: number } {
  const { priority } = state.start;
  return priority === undefined || priority === 0 ? {} : { priority };
}

/** Message that makes the orchestrator examine a job when a timer is due. */
export interface TimerMessage {
  readonly queue: 'timers';
  readonly options: { readonly id: string; readonly delayMs: number };
  readonly payload: { readonly jobId: string; readonly timer: string };
}

/** Builds the message to examine a job at `dueAt`. An overdue timer has no delay. */
export function buildTimerMessage(jobId: string, timer: string, dueAt: string, now: Date): TimerMessage {
  const delayMs = Math.max(0, Date.parse(dueAt) - now.getTime());
  return { queue: 'timers', options: { id: `${jobId}-${timer}`, delayMs }, payload: { jobId, timer } };
}
