import type { JobDecision, JobState, PhaseState } from '@phaseline/domain';
import type { SlotRequest } from './admission.js';

/** The slot without which the decision may not be recorded: for a phase that begins, or goes on after a pause. */
export function slotFor(
  job: JobState,
  phase: PhaseState | undefined,
  { next, activePhase }: JobDecision,
): SlotRequest | undefined {
  if (next) return requestOf(job, next.phase, next.kind);
  if (phase && activePhase.some(({ type }) => type === 'PhaseContinued')) return slotOf(job, phase);
  return undefined;
}

/** The slot of a phase that has begun. */
export function slotOf(job: JobState, phase: PhaseState): SlotRequest {
  return requestOf(job, phase.start.phase, phase.start.kind);
}

/** Whether the job needs no slot once this is recorded: its phase has ended and no other begins, or it is paused. */
export function freesSlot({ job, next }: Pick<JobDecision, 'job' | 'next'>): boolean {
  return !next && job.some(({ type }) => freeing.has(type));
}

const freeing: ReadonlySet<string> = new Set(['PhaseEnded', 'JobPaused', 'JobCompleted', 'JobFailed', 'JobCancelled']);

function requestOf(job: JobState, phase: number, kind: SlotRequest['kind']): SlotRequest {
  const { jobId, tenant, priority } = job.submitted;
  return { jobId, phase, kind, tenant, priority };
}
