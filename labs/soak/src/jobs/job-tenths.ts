import type { JobId } from '@phaseline/contracts';
import type { createPool } from '@phaseline/event-store';

/** A tenth of the steps of a job, according to its log. */
export interface JobTenth {
  readonly steps: number;
  /** From the last step of the tenth before, or from the first step of the job, until the last step of this one. */
  readonly seconds: number;
  /** Mean number of tokens in the prompt of a step, as the model server counted them. */
  readonly promptTokens: number;
}

/** Reads the tenths of a job that has at least ten steps, in order. */
export async function readJobTenths(pool: ReturnType<typeof createPool>, jobId: JobId): Promise<readonly JobTenth[]> {
  const { rows } = await pool.query<{ steps: number; began: number; ended: number; tokens: number }>(
    `SELECT count(*)::int AS steps, min(at) AS began, max(at) AS ended, avg(tokens)::float8 AS tokens
     FROM (SELECT extract(epoch FROM recorded_at)::float8 AS at, (data -> 'usage' ->> 'inputTokens')::int AS tokens,
                  ntile(10) OVER (ORDER BY position) AS tenth
           FROM phaseline.events WHERE correlation_id = $1 AND type = 'ModelResponded')
     GROUP BY tenth ORDER BY tenth`,
    [jobId],
  );
  return rows.map(({ steps, began, ended, tokens }, index) => ({
    ...{ steps, promptTokens: tokens },
    seconds: ended - (rows[index - 1]?.ended ?? began),
  }));
}
