import {
  decideJob,
  evolvePhase,
  jobHasEnded,
  phaseMessage,
  requestCancel,
  type JobDecision,
  type JobState,
} from '@phaseline/domain';
import { StreamClosed, WrongExpectedVersion, type EventStore, type StreamAppend } from '@phaseline/event-store';
import { jobAppend, phaseAppend, type EventOrigin, type Histories } from '@phaseline/history';
import type { Clock, Sender } from './ports.js';

export interface JobDriverParts {
  readonly processId: string;
  readonly store: EventStore;
  readonly histories: Histories;
  readonly sender: Sender;
  readonly clock: Clock;
}

/** Somebody else was first this often in a row: more than rivals that each make progress can explain. */
const MAX_CONFLICTS = 20;

/**
 * Takes a job one decision further: folds it, asks the decider, appends, dispatches. Safe to call for any job at any
 * time and from several replicas at once: of two that decide the same, one append wins and the other finds nothing to do.
 */
export class JobDriver {
  constructor(private readonly parts: JobDriverParts) {}

  async advance(jobId: string): Promise<void> {
    const { histories, clock } = this.parts;
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const job = await histories.job(jobId);
      if (!job || jobHasEnded(job)) return;
      const phase = job.active && (await histories.phase(jobId, job.active.phase));
      const decision = decideJob(job, phase, clock.now());
      if (decision.job.length === 0) return;
      if (await this.carryOut(job, phase?.version ?? 0, decision)) return;
    }
    throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while it was being decided; it is tried again later`);
  }

  /** Records that somebody asked for the job to end. Returns false when it has ended already. */
  async requestCancel(jobId: string, request: { readonly actor: string; readonly reason: string }): Promise<boolean> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const job = await this.parts.histories.job(jobId);
      if (!job || jobHasEnded(job)) return false;
      const event = requestCancel(job, request);
      if (!event) return true;
      if (await this.append([jobAppend(jobId, job.version, [event], { actor: request.actor })])) {
        await this.advance(jobId);
        return true;
      }
    }
    throw new Error(`job ${jobId} changed ${MAX_CONFLICTS} times while its end was being recorded; ask again`);
  }

  /** Appends a decision in one commit and dispatches its phase. Returns false when somebody else was first. */
  private async carryOut(job: JobState, phaseVersion: number, decision: JobDecision): Promise<boolean> {
    const { jobId, priority } = job.submitted;
    const origin: EventOrigin = { actor: this.parts.processId };
    const appends: StreamAppend[] = [jobAppend(jobId, job.version, decision.job, origin)];
    if (job.active && decision.activePhase.length > 0) {
      appends.push(phaseAppend(jobId, job.active.phase, phaseVersion, decision.activePhase, { origin }));
    }
    const { next } = decision;
    if (next) appends.push(phaseAppend(jobId, next.phase, 0, [next.started], { origin }));
    if (!(await this.append(appends))) return false;
    if (next) {
      const { queue, id, payload } = phaseMessage(evolvePhase(undefined, next.started));
      await this.parts.sender.send(queue, payload, { id, ...(priority > 0 ? { priority } : {}) });
    }
    return true;
  }

  private async append(appends: StreamAppend[]): Promise<boolean> {
    try {
      await this.parts.store.append(appends);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed) return false;
      throw error;
    }
  }
}
