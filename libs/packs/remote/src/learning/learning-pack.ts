import { ToolError, type EventId, type JobId, type LearningTraceType } from '@phaseline/contracts';
import { learningSpec } from '@phaseline/pack-specs';
import { implementPack, withDatabase, type PackHost, type ToolPack } from '@phaseline/tools';

/** The learning traces that the agent of a job may see, as it reads them. */
export interface AgentTraceReader {
  /** Returns one line per learning trace, with at most 500 tokens; an empty text if none matches. */
  list(jobId: JobId, query: TraceQuery): Promise<string>;
  /** Returns a learning trace with at most 1,000 or 2,000 tokens; undefined if there is none that the job may see. */
  read(jobId: JobId, id: EventId, level: 'summary' | 'full'): Promise<string | undefined>;
  /** Returns one line per mistake that was made several times, with at most 500 tokens; an empty text if there is none. */
  listPatterns(jobId: JobId, query: { readonly agent?: string | undefined }): Promise<string>;
}

interface TraceQuery {
  readonly text?: string | undefined;
  readonly type?: LearningTraceType | undefined;
  readonly agent?: string | undefined;
}

/** Tools for learning traces. `store_trace` stores nothing itself: its recorded call becomes the trace. */
export function createLearningPack(host: Pick<PackHost, 'getTenant'>, traces: AgentTraceReader): ToolPack {
  return implementPack(learningSpec, {
    store_trace: async ({ jobId }) => {
      // Refuses encrypted jobs, which have no learning traces.
      await host.getTenant(jobId);
      return { content: 'Recorded. query_traces finds it in a few seconds.', result: { stored: true } };
    },
    // Finds none for encrypted jobs, instead of refusing them: workflows demand the call.
    query_traces: async ({ jobId }, query) => {
      const list = await withDatabase(() => traces.list(jobId, query));
      return { content: list === '' ? 'No learning trace matches.' : list };
    },
    get_trace: async ({ jobId }, { id, level }) => {
      await host.getTenant(jobId);
      // The schema has checked that it is a UUID.
      const content = await withDatabase(() => traces.read(jobId, id as EventId, level));
      if (content === undefined)
        throw new ToolError(
          'no_trace',
          `There is no learning trace ${id}. query_traces lists those that you may read.`,
        );
      return { content };
    },
    extract_patterns: async ({ jobId }, query) => {
      await host.getTenant(jobId);
      const list = await withDatabase(() => traces.listPatterns(jobId, query));
      return { content: list === '' ? 'No mistake was made five times.' : list };
    },
  });
}
