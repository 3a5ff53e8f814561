import type { EventId, JobId, LearningTraceType } from '@phaseline/contracts';
import type { Queryable } from '@phaseline/event-store';
import type { Similarity } from '../embeddings/similarity.js';
import { Patterns } from '../patterns/patterns.js';
import { renderPatterns } from '../patterns/render-patterns.js';
import { LearningTraces } from './learning-traces.js';
import { renderFull, renderMetadata, renderSummary } from './render-traces.js';
import { findTracedJob } from './traced-job.js';
import type { LearningTraceReader } from './visible-traces.js';

/** Learning traces that are read for a list: more than fit into one. */
const MAX_LISTED = 20;

/** Learning traces as the agent of a job reads them: those of its job, and those that a person promoted for it. */
export class AgentTraces {
  private readonly traces: LearningTraces;

  constructor(
    private readonly database: Queryable,
    similarity?: Similarity,
  ) {
    this.traces = new LearningTraces(database, similarity);
  }

  /** Returns one line per learning trace, the best match first, or without a text the newest; at most 500 tokens. */
  async list(
    jobId: JobId,
    {
      text,
      ...filter
    }: {
      readonly text?: string | undefined;
      readonly type?: LearningTraceType | undefined;
      readonly agent?: string | undefined;
    },
  ): Promise<string> {
    const reader = await this.findReader(jobId);
    if (!reader) return '';
    const found =
      text === undefined
        ? await this.traces.list(reader, filter, { limit: MAX_LISTED })
        : await this.traces.search(reader, filter, { text, limit: MAX_LISTED });
    return renderMetadata(found);
  }

  /** Returns a learning trace with at most 1,000 or 2,000 tokens; undefined if there is none that the job may see. */
  async read(jobId: JobId, id: EventId, level: 'summary' | 'full'): Promise<string | undefined> {
    const reader = await this.findReader(jobId);
    const trace = reader && (await this.traces.find(reader, id));
    return trace && (level === 'full' ? renderFull(trace) : renderSummary(trace));
  }

  /** Returns one line per mistake that was made several times in the learning traces that the job may see; at most 500 tokens. */
  async listPatterns(jobId: JobId, filter: { readonly agent?: string | undefined }): Promise<string> {
    const reader = await this.findReader(jobId);
    return reader ? renderPatterns(await new Patterns(this.database).list(reader, filter)) : '';
  }

  /** No argument of a call says whose learning traces are read, only the job that makes it. */
  private async findReader(jobId: JobId): Promise<LearningTraceReader | undefined> {
    const job = await findTracedJob(this.database, jobId);
    return job && { jobId, tenant: job.tenant, project: job.project };
  }
}
