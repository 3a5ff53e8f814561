import type { EventStore } from '@phaseline/event-store';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { filesAt } from './files-at.js';
import { jobAt, type JobAt } from './job-at.js';

/** Jobs as they were at a position of the log, or are now where none is given. Throws ApiProblem `job_not_found`. */
export class JobHistory {
  constructor(private readonly store: EventStore) {}

  async at(jobId: string, position?: number): Promise<JobAt> {
    const found = await jobAt((streamId) => this.store.read(streamId), jobId, position);
    return found ?? this.missing(jobId, position);
  }

  /** Only the files: cheaper than the whole state. */
  async files(jobId: string, position?: number): Promise<JobAt['files']> {
    return (await filesAt(this.store, jobId, position)) ?? this.missing(jobId, position);
  }

  private async missing(jobId: string, position: number | undefined): Promise<never> {
    const [first] = position === undefined ? [] : await this.store.readCorrelation(jobId, { limit: 1 });
    if (!first) throw jobNotFound(jobId);
    throw new ApiProblem(
      'job_not_found',
      `Job ${jobId} did not exist yet at position ${position}. Its first event is at ${first.position}.`,
    );
  }
}
