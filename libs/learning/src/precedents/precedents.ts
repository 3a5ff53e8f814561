import type { JobId } from '@phaseline/contracts';
import { MAX_PRECEDENTS, type Precedent } from '@phaseline/domain';
import type { Queryable } from '@phaseline/event-store';
import type { Similarity } from '../embeddings/similarity.js';
import { LearningTraces } from '../traces/learning-traces.js';
import { findTracedJob } from '../traces/traced-job.js';
import { fitPrecedents } from './fit-precedents.js';

/** Promoted learning traces for the first prompt of a phase. */
export class Precedents {
  private readonly traces: LearningTraces;

  constructor(
    private readonly database: Queryable,
    similarity?: Similarity,
  ) {
    this.traces = new LearningTraces(database, similarity);
  }

  /** Returns the learning traces that people promoted for a job and that fit a task best; none for encrypted jobs. */
  async search(jobId: JobId, task: string): Promise<readonly Precedent[]> {
    const job = await findTracedJob(this.database, jobId);
    if (!job) return [];
    const reader = { jobId, tenant: job.tenant, project: job.project };
    const found = await this.traces.search(reader, { isPromoted: true }, { text: task, limit: MAX_PRECEDENTS });
    return fitPrecedents(found);
  }
}
