import type { JobId } from '@phaseline/contracts';
import { BlobNotStored, type EventStore } from '@phaseline/event-store';
import {
  compareJobs,
  diffJob,
  type JobAt,
  type JobComparison,
  type JobDiff,
  type TimeTravel,
} from '@phaseline/time-travel';
import { BlobMissing } from '@phaseline/workspace';
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
    const sources = { travel: this.travel, blobs: this.store.blobs.forJob(jobId) };
    const diff = await this.read(jobId, () => diffJob(sources, jobId, from, to, { patches }));
    return diff ?? this.throwNotFound(jobId, to === undefined ? from : Math.min(from, to));
  }

  async compare(jobId: JobId, other: JobId): Promise<JobComparison> {
    const compared = await compareJobs({ travel: this.travel, store: this.store }, jobId, other);
    if (compared) return compared;
    await this.at(jobId);
    return this.throwNotFound(other, undefined);
  }

  /**
   * Reads stored content of a job. Throws ApiProblem `file_removed` when it is missing because retention removed it, as an event of the job
   * says; content that is missing for another reason is damaged.
   */
  async read<Content>(jobId: JobId, readContent: () => Promise<Content>): Promise<Content> {
    const removals = await this.store.readCorrelation(jobId, { types: ['FilesRemoved'] });
    // Removed content must not be shown because this process has read it before.
    for (const { data } of removals) this.store.blobs.forget(data['hashes'] as readonly string[]);
    try {
      return await readContent();
    } catch (error) {
      if (!(error instanceof BlobMissing || error instanceof BlobNotStored)) throw error;
      const removal = removals.find(({ data }) => (data['hashes'] as readonly string[]).includes(error.hash));
      if (!removal) throw error;
      throw new ApiProblem(
        'file_removed',
        `The content ${error.hash} was removed by retention on ${String(removal.data['removedAt'])}. The log still names it, but nothing can show it.`,
        { cause: error },
      );
    }
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
