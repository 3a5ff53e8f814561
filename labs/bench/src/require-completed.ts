import type { JobId } from '@phaseline/contracts';
import type { createPool } from '@phaseline/event-store';
import { BenchFailed } from './bench-failed.js';

export interface LoggedWork {
  /** Number of model answers of all jobs. */
  readonly steps: number;
  /** Number of completed tool calls of all jobs. */
  readonly completedCalls: number;
}

/**
 * Counts the work of jobs from their events in the log. Throws `BenchFailed` with the reason of one failure if not all completed, because
 * the figures would then describe something else.
 */
export async function requireCompleted(
  pool: ReturnType<typeof createPool>,
  jobIds: readonly JobId[],
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
  const findRow = (type: string) => rows.find((row) => row.type === type);
  const completed = Number(findRow('JobCompleted')?.jobs ?? 0);
  if (completed !== jobIds.length) {
    const reason = findRow('PhaseFailed')?.reason ?? findRow('JobFailed')?.reason;
    throw new BenchFailed(
      `${completed} of ${jobIds.length} jobs completed${reason ? `; a phase failed: ${reason}` : ''}`,
    );
  }
  return {
    steps: Number(findRow('ModelResponded')?.count ?? 0),
    completedCalls: Number(findRow('ToolCallCompleted')?.count ?? 0),
  };
}
