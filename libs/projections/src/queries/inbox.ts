import type { CallId, JobId } from '@phaseline/contracts';
import type { Queryable } from '../tables/queryable.js';

/** Something that waits for a person, as the read model knows it: without its content. */
export interface InboxEntry {
  readonly kind: 'approval' | 'question';
  readonly jobId: JobId;
  readonly tenant: string;
  readonly agent: string;
  readonly phase: number;
  readonly callId: CallId;
  readonly position: number;
  readonly askedAt: string;
  readonly deadlineAt: string;
}

export interface InboxFilter {
  /** The tenants whose entries are returned. */
  readonly tenants: 'all' | readonly string[];
  /** One of these tenants; absent for all of them. */
  readonly tenant?: string | undefined;
  readonly jobId?: JobId | undefined;
  readonly kind?: InboxEntry['kind'] | undefined;
  /** Only entries after this position. */
  readonly after: number;
  readonly limit: number;
}

/** Reads what waits for a person, over all jobs. */
export class Inbox {
  constructor(private readonly database: Queryable) {}

  /** Returns a page of entries, oldest first. It may be a few milliseconds behind the log. */
  async list({ tenants, tenant, jobId, kind, after, limit }: InboxFilter): Promise<readonly InboxEntry[]> {
    const { rows } = await this.database.query<InboxEntry>(
      `SELECT w.kind, j.job_id AS "jobId", j.tenant, j.agent, j.phase_number AS phase, w.call ->> 'callId' AS "callId",
         (w.call ->> 'position')::float8 AS position, w.call ->> 'askedAt' AS "askedAt", w.call ->> 'deadlineAt' AS "deadlineAt"
       FROM phaseline.jobs AS j
       CROSS JOIN LATERAL (
         SELECT 'approval' AS kind, call FROM jsonb_array_elements(j.awaiting_approval) AS call
         UNION ALL SELECT 'question', call FROM jsonb_array_elements(j.awaiting_answer) AS call
       ) AS w
       WHERE (j.awaiting_approval <> '[]' OR j.awaiting_answer <> '[]') AND j.ended_at IS NULL AND j.status <> 'cancelling'
         AND ($1::text[] IS NULL OR j.tenant = ANY ($1)) AND ($2::uuid IS NULL OR j.job_id = $2)
         AND ($3::text IS NULL OR w.kind = $3) AND ($6::text IS NULL OR j.tenant = $6) AND (w.call ->> 'position')::bigint > $4
       ORDER BY (w.call ->> 'position')::bigint LIMIT $5`,
      [tenants === 'all' ? null : [...tenants], jobId ?? null, kind ?? null, after, limit, tenant ?? null],
    );
    return rows;
  }
}
