import type { Message, CallId, JobId, ProcessId } from '@phaseline/contracts';
import type { PhaseState } from '../phase/phase-state.js';
import type { PhaseKind } from '../workflow/workflow.js';

/** Builds the message that makes a worker process a phase in its current state. The kind of the phase is the name of the queue. */
export function buildPhaseMessage(state: PhaseState): Message<PhaseKind> {
  const { jobId, phase, kind, priority = 0 } = state.start.identity;
  return {
    queue: kind,
    payload: { jobId, phase, version: state.version, epoch: state.modelCall.epoch },
    ...(priority === 0 ? {} : { options: { priority } }),
  };
}

/** Builds the message for a due `remote` call of a phase. `worker` continues the phase when the call ends, if it is free. */
export function buildToolMessage(state: PhaseState, callId: CallId, worker?: ProcessId): Message<'tools'> {
  const { jobId, phase } = state.start.identity;
  // Without the job's priority: queue priorities apply across tenants, and the slot was already granted in turn.
  const { epoch } = state.modelCall;
  return { queue: 'tools', payload: { jobId, phase, callId, epoch, ...(worker === undefined ? {} : { worker }) } };
}

/** Builds the message to examine a job at `dueAt`. An overdue timer has no delay. */
export function buildTimerMessage(jobId: JobId, timer: string, dueAt: string, now: Date): Message<'timers'> {
  const delayMs = Math.max(0, Date.parse(dueAt) - now.getTime());
  return { queue: 'timers', payload: { jobId, timer }, options: { delayMs } };
}
