import type { CallId, JobId } from '@phaseline/contracts';
import type { Queryable } from '@phaseline/event-store';

interface EntryBase {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly agent: string;
  readonly phase: number;
  readonly position: number;
  readonly askedAt: string;
}

/** A call that waits for a person, as the read model knows it: without its content. */
export interface WaitingCallEntry extends EntryBase {
  readonly kind: 'approval' | 'question';
  readonly callId: CallId;
  readonly deadlineAt: string;
}

/** A todo that a running job cannot do, without its content. */
export interface BlockedTodoEntry extends EntryBase {
  readonly kind: 'blocked-todo';
  readonly todoId: number;
}

/** A job that ended as blocked. It stays in the inbox until a person retries it. */
export interface BlockedJobEntry extends EntryBase {
  readonly kind: 'blocked-job';
}

/** Something that waits for a person. */
export type InboxEntry = WaitingCallEntry | BlockedTodoEntry | BlockedJobEntry;

export interface InboxFilter {
  /** The tenants whose entries are returned. */
  readonly tenants: 'all' | readonly string[];
  /** One of these tenants; absent for all of them. */
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
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
  async list({ tenants, tenant, agent, jobId, kind, after, limit }: InboxFilter): Promise<readonly InboxEntry[]> {
    const { rows } = await this.database.query<EntryRow>(
      `WITH waiting AS (
         SELECT j.job_id, j.tenant, j.agent, j.phase_number, w.*
         FROM phaseline.jobs AS j
         CROSS JOIN LATERAL (
           SELECT 'approval' AS kind, (call ->> 'position')::bigint AS position, call ->> 'askedAt' AS asked_at,
             jsonb_build_object('callId', call -> 'callId', 'deadlineAt', call -> 'deadlineAt') AS entry
             FROM jsonb_array_elements(j.awaiting_approval) AS call
           UNION ALL SELECT 'question', (call ->> 'position')::bigint, call ->> 'askedAt',
             jsonb_build_object('callId', call -> 'callId', 'deadlineAt', call -> 'deadlineAt')
             FROM jsonb_array_elements(j.awaiting_answer) AS call
           UNION ALL SELECT 'blocked-todo', (todo ->> 'position')::bigint, todo ->> 'blockedAt',
             jsonb_build_object('todoId', todo -> 'todoId')
             FROM jsonb_array_elements(j.blocked_todos) AS todo
         ) AS w
         WHERE (j.awaiting_approval <> '[]' OR j.awaiting_answer <> '[]' OR j.blocked_todos <> '[]')
           AND j.ended_at IS NULL AND j.status <> 'cancelling'
         UNION ALL
         SELECT j.job_id, j.tenant, j.agent, j.phase_number, 'blocked-job', j.position,
           to_char(j.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '{}'
         FROM phaseline.jobs AS j WHERE j.status = 'blocked'
       )
       SELECT w.kind, w.job_id AS "jobId", w.tenant, w.agent, w.phase_number AS phase, w.position::float8 AS position,
         w.asked_at AS "askedAt", w.entry
       FROM waiting AS w
       WHERE ($1::text[] IS NULL OR w.tenant = ANY ($1)) AND ($2::uuid IS NULL OR w.job_id = $2)
         AND ($3::text IS NULL OR w.kind = $3) AND ($6::text IS NULL OR w.tenant = $6)
         AND ($7::text IS NULL OR w.agent = $7) AND w.position > $4
       ORDER BY w.position LIMIT $5`,
      [
        ...[tenants === 'all' ? null : [...tenants], jobId ?? null, kind ?? null, after, limit],
        ...[tenant ?? null, agent ?? null],
      ],
    );
    return rows.map(({ entry, ...row }) => ({ ...row, ...entry }) as InboxEntry);
  }
}

/** An entry with the members of its kind apart. */
interface EntryRow extends EntryBase {
  readonly kind: InboxEntry['kind'];
  readonly entry: object;
}
