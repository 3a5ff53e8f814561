import { Injectable } from '@nestjs/common';
import type { JobId } from '@phaseline/contracts';
import { jobEndTypes, phaseEndTypes } from '@phaseline/domain';
import { isUnreachable, type RecordedEvent } from '@phaseline/event-store';
import { ChildJobs } from '@phaseline/orchestration';
import { QueueUnavailable } from '@phaseline/queue';
import { InjectLogger } from '@phaseline/service';
import type { Logger } from 'pino';

/** Event types after which a child job is submitted, reported to its parent, or cancelled. */
export const DELEGATION_TYPES: readonly string[] = ['ChildJobRequested', ...phaseEndTypes, ...jobEndTypes];

/** Submits, ends and cancels child jobs after events of the log. */
@Injectable()
export class Delegation {
  constructor(
    @InjectLogger() private readonly logger: Logger,
    private readonly children: ChildJobs,
  ) {}

  /** Throws only when the database or a queue cannot be reached, so that the events are delivered again. */
  async handle(events: readonly RecordedEvent[]): Promise<void> {
    const jobsOf = (types: readonly string[]): readonly JobId[] => [
      ...new Set(events.filter(({ type }) => types.includes(type)).map(({ correlationId }) => correlationId)),
    ];
    for (const jobId of jobsOf(['ChildJobRequested']))
      await this.attempt(jobId, () => this.children.submitRequested(jobId));
    // Most jobs neither delegate nor are child jobs, so one query per batch of events finds those that do or are.
    for (const child of await this.children.listAmong(jobsOf(jobEndTypes)))
      await this.attempt(child.childId, () => this.children.reportEnd(child));
    for (const child of await this.children.listChildrenOf(jobsOf(phaseEndTypes)))
      await this.attempt(child.childId, () => this.children.cancelOrphan(child));
  }

  private async attempt(jobId: JobId, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isUnreachable(error) || error instanceof QueueUnavailable) throw error;
      this.logger.error({ error, jobId }, 'a child job could not be started, reported or cancelled');
    }
  }
}
