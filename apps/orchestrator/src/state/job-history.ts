import type { JobId } from '@phaseline/contracts';
import type { EventStore } from '@phaseline/event-store';
import {
  compareJobs,
  diffJob,
  type JobAt,
  type JobComparison,
  type JobDiff,
  type TimeTravel,
} from '@phaseline/time-travel';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';

/**
 * Reads jobs as of a position of the log, or their current state when none is given. Throws ApiProblem `job_not_found`.
 */
export class JobHistory {
  constructor(
    private readonly store: EventStore,
    private readonly travel: TimeTravel,
  ) {}

  async at(jobId: JobId, position?: number): Promise<JobAt> {
    return (await this.travel.at(jobId, position)) ?? this.throwNotFound(jobId, position);
  }

  async files(jobId: JobId, position?: number): Promise<JobAt['files']> {
    return (await this.at(jobId, position)).files;
  }

  async diff(jobId: JobId, from: number, to: number | undefined, patches: boolean): Promise<JobDiff> {
    const diff = await diffJob({ travel: this.travel, blobs: this.store.blobs.forJob(jobId) }, jobId, from, to, {
      patches,
    });
    return diff ?? this.throwNotFound(jobId, to === undefined ? from : Math.min(from, to));
  }

  async compare(jobId: JobId, other: JobId): Promise<JobComparison> {
    const compared = await compareJobs({ travel: this.travel, store: this.store }, jobId, other);
    if (compared) return compared;
    await this.at(jobId);
    return this.throwNotFound(other, undefined);
  }

  /** Throws the problem that the job does not exist, or did not exist yet. */
  async throwNotFound(jobId: JobId, position: number | undefined): Promise<never> {
    const [first] = position === undefined ? [] : await this.store.readCorrelation(jobId, { limit: 1 });
    if (!first) throw jobNotFound(jobId);
    throw new ApiProblem(
      'job_not_found',
      `Job ${jobId} did not exist yet at position ${position}. Its first event is at ${first.position}.`,
    );
  }
}
