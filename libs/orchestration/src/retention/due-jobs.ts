import type { JobId } from '@phaseline/contracts';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

export interface DueJob {
  readonly jobId: JobId;
  readonly endedAt: Date;
}

export interface DueJobsQuery {
  readonly tenant: string;
  /** Time until which the jobs ended, inclusive. */
  readonly endedUntil: Date;
  /** Time after which they ended; default: any. */
  readonly endedAfter?: Date | undefined;
  /** Whether to list only jobs with vectors. */
  readonly hasVectors?: boolean;
  /** What may be due: content to remove (default), or events that can move to cold storage. */
  readonly candidates?: 'retention_candidates' | 'cold_candidates';
}

const JOBS_PER_QUERY = 500;

interface Row {
  readonly correlation_id: JobId;
  readonly ended_at: Date;
  /** The same time, to the microsecond. */
  readonly cursor: string;
}

/** Lists the ended jobs of a tenant of which something may have to be removed or moved, oldest end first. Reads no other job. */
export async function* listDueJobs(
  pool: pg.Pool,
  { tenant, endedUntil, endedAfter, hasVectors = false, candidates = 'retention_candidates' }: DueJobsQuery,
): AsyncGenerator<DueJob, void, undefined> {
  let last: Row | undefined;
  for (;;) {
    const rows: Row[] = await queryRows<Row>(pool, {
      text: `SELECT correlation_id, ended_at, ended_at::text AS cursor FROM phaseline.${candidates}
        WHERE tenant = $1 AND ended_at <= $2 AND ended_at > $3
          AND (ended_at, correlation_id) > ($4::timestamptz, $5) ${hasVectors ? 'AND has_vectors' : ''}
        ORDER BY ended_at, correlation_id LIMIT ${JOBS_PER_QUERY}`,
      values: [tenant, endedUntil, endedAfter ?? '-infinity', last?.cursor ?? '-infinity', last?.correlation_id ?? ''],
    });
    for (const { correlation_id: jobId, ended_at: endedAt } of rows) yield { jobId, endedAt };
    last = rows.at(-1);
    if (rows.length < JOBS_PER_QUERY) return;
  }
}
