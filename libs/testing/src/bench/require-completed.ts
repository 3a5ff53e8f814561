import type { createPool } from '@phaseline/event-store';
import { BenchFailed } from './bench-failed.js';

export interface LoggedWork {
  /** Model answers of all jobs. */
  readonly steps: number;
  /** Tool calls of all jobs that ended well. */
  readonly completedCalls: number;
}

/**
 * Counts the work of jobs from their events in the log. Throws `BenchFailed` with the reason of one of them when not all completed: the
 * figures of a bench would then be those of something else.
 */
export async function requireCompleted(
  pool: ReturnType<typeof createPool>,
  jobIds: readonly string[],
): Promise<LoggedWork> {
  const { rows } = await pool.query<{ type: string; count: string; jobs: string; reason: string | null }>(
    `SELECT type, count(*) AS count, count(DISTINCT correlation_id) AS jobs,
            min(coalesce(data::jsonb -> 'failure' ->> 'message', data::jsonb ->> 'message')) AS reason
     FROM phaseline.events
     WHERE correlation_id = ANY($1)
       AND type IN ('JobCompleted', 'JobFailed', 'PhaseFailed', 'ModelResponded', 'ToolCallCompleted')
     GROUP BY type`,
    [jobIds],
  );
  const of = (type: string) => rows.find((row) => row.type === type);
  const completed = Number(of('JobCompleted')?.jobs ?? 0);
  if (completed !== jobIds.length) {
    const reason = of('PhaseFailed')?.reason ?? of('JobFailed')?.reason;
    throw new BenchFailed(
      `${completed} of ${jobIds.length} jobs completed${reason ? `; a phase failed: ${reason}` : ''}`,
    );
  }
  return {
    steps: Number(of('ModelResponded')?.count ?? 0),
    completedCalls: Number(of('ToolCallCompleted')?.count ?? 0),
  };
}
