import type { JobId } from '@phaseline/contracts';
import {
  awaitsOthers,
  dueWork,
  hasJobEnded,
  type JobDecision,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import type { Admission, SlotGrant } from './admission.js';
import { freesSlot, findRequiredSlot } from './slot-requests.js';

/**
 * Slots during one decision about a job: requests what the decision needs, releases what it no longer needs, and
 * collects the grants that this made possible for other jobs. The caller advances those jobs. Without an admission
 * every phase has a slot.
 */
export class JobSlots {
  /** Slots that were granted to other jobs during this decision. */
  readonly grants: SlotGrant[] = [];

  /** @param held the phase that the job was just granted a slot for, when that is the reason for the decision */
  constructor(
    private readonly admission: Admission | undefined,
    private held?: number,
  ) {}

  /**
   * Returns whether the decision may be recorded now. At most one round trip, and none for a slot that was just
   * granted.
   */
  async admit(job: JobState, phase: PhaseState | undefined, decision: JobDecision): Promise<boolean> {
    const request = findRequiredSlot(job, phase, decision);
    if (!this.admission || !request || request.phase === this.held) return true;
    const { isGranted, grantsToOthers } = await this.admission.requestSlot(request);
    this.grants.push(...grantsToOthers);
    if (isGranted) this.held = request.phase;
    return isGranted;
  }

  /** Call after events were recorded: releases the slot when they free it. */
  async releaseIfFreed(jobId: JobId, events: Pick<JobDecision, 'job' | 'next'>): Promise<void> {
    if (freesSlot(events)) await this.leave(jobId);
  }

  /** Call when there was nothing to decide: a slot that was granted for nothing goes to another job. */
  async releaseIfUnused(jobId: JobId, job: JobState | undefined, phase: PhaseState | undefined): Promise<void> {
    if (this.held !== undefined && !needsSlot(job, phase)) await this.leave(jobId);
  }

  private async leave(jobId: JobId): Promise<void> {
    if (this.admission) this.grants.push(...(await this.admission.releaseSlot(jobId)));
  }
}

/**
 * Returns whether the job's active phase needs a slot: it has not ended, is not paused and does not wait for a person.
 */
export function needsSlot(job: JobState | undefined, phase: PhaseState | undefined): boolean {
  if (!job || hasJobEnded(job) || job.paused || job.active?.phase !== phase?.start.identity.phase || !phase)
    return false;
  return !awaitsOthers(dueWork(phase));
}
