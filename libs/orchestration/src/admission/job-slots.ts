import { dueWork, jobHasEnded, type JobDecision, type JobState, type PhaseState } from '@phaseline/domain';
import type { Admission, GivenSlot } from './admission.js';
import { freesSlot, slotFor } from './slot-of.js';

/**
 * The slots as one look at a job sees them: asks for what its decision needs, gives back what it needs no longer, and keeps
 * the slots that this gave to other jobs, for whoever takes those further. Without an admission every phase has a slot.
 */
export class JobSlots {
  /** Slots that went to other jobs meanwhile. */
  readonly given: GivenSlot[] = [];

  /** @param held the phase that the job was just given a slot for, where that is why it is looked at */
  constructor(
    private readonly admission: Admission | undefined,
    private held?: number,
  ) {}

  /** Whether the decision may be recorded now. At most one round trip, and none for a slot that was just given. */
  async admit(job: JobState, phase: PhaseState | undefined, decision: JobDecision): Promise<boolean> {
    const request = slotFor(job, phase, decision);
    if (!this.admission || !request || request.phase === this.held) return true;
    const { granted, others } = await this.admission.ask(request);
    this.given.push(...others);
    if (granted) this.held = request.phase;
    return granted;
  }

  /** After something was recorded. */
  async recorded(jobId: string, events: Pick<JobDecision, 'job' | 'next'>): Promise<void> {
    if (freesSlot(events)) await this.leave(jobId);
  }

  /** After a look at which there was nothing to decide: a slot that was given in vain goes on to somebody else. */
  async unused(jobId: string, job: JobState | undefined, phase: PhaseState | undefined): Promise<void> {
    if (this.held !== undefined && !needsSlot(job, phase)) await this.leave(jobId);
  }

  private async leave(jobId: string): Promise<void> {
    if (this.admission) this.given.push(...(await this.admission.leave(jobId)));
  }
}

/** Whether a phase of the job is under way: not ended, not paused, not waiting for a person. */
export function needsSlot(job: JobState | undefined, phase: PhaseState | undefined): boolean {
  if (!job || jobHasEnded(job) || job.paused || job.active?.phase !== phase?.start.phase || !phase) return false;
  const { kind } = dueWork(phase);
  return kind !== 'nothing' && kind !== 'paused' && kind !== 'approval';
}
