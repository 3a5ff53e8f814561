import type { JobDecision, JobState, PhaseState } from '@phaseline/domain';
import type { SlotRequest } from './admission.js';

/** Returns the slot that the decision requires: for a phase that starts, or that continues after a pause. */
export function findRequiredSlot(
  job: JobState,
  phase: PhaseState | undefined,
  { next, activePhase }: JobDecision,
): SlotRequest | undefined {
  if (next) return requestOf(job, next.phase, next.kind);
  if (phase && activePhase.some(({ type }) => type === 'PhaseResumed')) return slotRequestOf(job, phase);
  return undefined;
}

/** Returns the slot of a phase that has started. */
export function slotRequestOf(job: JobState, phase: PhaseState): SlotRequest {
  return requestOf(job, phase.start.identity.phase, phase.start.identity.kind);
}

/** Returns whether these events free the job's slot: its phase ends and no other starts, or the job is paused. */
export function freesSlot({ job, next }: Pick<JobDecision, 'job' | 'next'>): boolean {
  return !next && job.some(({ type }) => SLOT_FREEING_EVENTS.has(type));
}

const SLOT_FREEING_EVENTS: ReadonlySet<string> = new Set([
  'PhaseEnded',
  'JobPaused',
  'JobCompleted',
  'JobFailed',
  'JobCancelled',
]);

function requestOf(job: JobState, phase: number, kind: SlotRequest['kind']): SlotRequest {
  const { jobId, tenant, priority } = job.submitted;
  return { jobId, phase, kind, tenant, priority };
}
