import type { createPool } from '@phaseline/event-store';
import { RunFailed } from './run-failed.js';

/** When things happened in a job that has completed, according to its log: milliseconds since 1970. */
export interface JobTimes {
  readonly submittedAt: number;
  /** The first call of the model. */
  readonly startedAt: number;
  readonly completedAt: number;
  /** Number of answers of the model. */
  readonly steps: number;
}

/** Reads the times of all jobs from their events, oldest first. Throws `RunFailed` with the reason of one failure if not all completed. */
export async function readJobTimes(pool: ReturnType<typeof createPool>, jobs: number): Promise<readonly JobTimes[]> {
  const { rows } = await pool.query<{ [Key in keyof JobTimes]: number | null } & { reason: string | null }>(
    `SELECT min(at) FILTER (WHERE type = 'JobSubmitted') AS "submittedAt",
            min(at) FILTER (WHERE type = 'ModelCallStarted') AS "startedAt",
            min(at) FILTER (WHERE type = 'JobCompleted') AS "completedAt",
            count(*) FILTER (WHERE type = 'ModelResponded')::int AS steps,
            min(coalesce(data::jsonb -> 'failure' ->> 'message', data::jsonb ->> 'message'))
              FILTER (WHERE type IN ('PhaseFailed', 'JobFailed')) AS reason
     FROM (SELECT correlation_id, type, data, extract(epoch FROM recorded_at)::float8 * 1000 AS at
           FROM phaseline.events
           WHERE type IN ('JobSubmitted', 'ModelCallStarted', 'ModelResponded', 'PhaseFailed', 'JobFailed', 'JobCompleted'))
     GROUP BY correlation_id
     HAVING bool_or(type = 'JobSubmitted')
     ORDER BY 1`,
  );
  const completed = rows.flatMap(({ submittedAt, startedAt, completedAt, steps }) =>
    submittedAt === null || startedAt === null || completedAt === null
      ? []
      : [{ submittedAt, startedAt, completedAt, steps: steps ?? 0 }],
  );
  if (rows.length === jobs && completed.length === jobs) return completed;
  const reason = rows.find((row) => row.reason !== null)?.reason;
  throw new RunFailed(
    `${completed.length} of ${jobs} jobs completed, ${rows.length} are in the log${reason ? `; one failed: ${reason}` : ''}`,
  );
}

/** Counts the answers of the model in all jobs. Throws `RunFailed` if there are not as many as the jobs need. */
export function requireSteps(times: readonly JobTimes[], expected: number): number {
  const steps = times.reduce((sum, job) => sum + job.steps, 0);
  if (steps !== expected) throw new RunFailed(`the log contains ${steps} steps; the jobs have ${expected}`);
  return steps;
}
