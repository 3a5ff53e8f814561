import type { ActionRecord, ActionsQuery } from '@phaseline/client';
import type { Actor, JobId, StreamId } from '@phaseline/contracts';
import { queryRows } from '@phaseline/event-store';
import type { TenantSelection } from '@phaseline/identity';
import type { Pool } from 'pg';

/**
 * Number of events that one page reads at most. Most events are recorded by processes, and no index knows the actors, so a page ends after
 * this many events even if few of them are actions.
 */
const MAX_EVENTS_PER_PAGE = 5_000;

/** Place in the log, from the latest event back. Transactions order the log; positions order the events of one. */
interface Place {
  readonly transaction: string;
  readonly position: string;
}

export interface ActionsFilter extends Pick<ActionsQuery, 'actor' | 'action' | 'jobId' | 'tenant' | 'limit'> {
  readonly after: Place | undefined;
  /** Tenants whose jobs the caller may see. */
  readonly tenants: TenantSelection;
  /** Whether the caller may see actions that concern no job, such as a new key. */
  readonly withSystem: boolean;
}

interface Row {
  readonly type: string;
  readonly actor: Actor;
  readonly at: Date;
  readonly stream_id: StreamId;
  readonly version: string;
  readonly job_id: JobId | null;
  readonly tenant: string | null;
  readonly transaction_id: string;
  readonly position: string;
}

/** The job of an event, if it belongs to one, as the type of the primary key of `jobs`, so that the join uses its index. */
const TO_JOB_ID = `CASE WHEN read.correlation_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN read.correlation_id::uuid END`;

/**
 * The inner query follows the index of the log, or that of one job, backwards and reads a bounded number of rows. Only then the actors, types
 * and tenants are compared, so a page takes the same time whatever it finds.
 */
export const buildActionsQuery = (ofJob: boolean): string => `
  WITH read AS MATERIALIZED (
    SELECT type, metadata -> 'actor' AS actor, recorded_at, stream_id, version, correlation_id, transaction_id, position
    FROM phaseline.events
    WHERE ${ofJob ? 'correlation_id = $8 AND' : '$8::text IS NULL AND'}
      ($1::text IS NULL OR ${ofJob ? 'position < $2::bigint' : '(transaction_id, position) < ($1::text::xid8, $2::bigint)'})
    ORDER BY ${ofJob ? 'position DESC' : 'transaction_id DESC, position DESC'} LIMIT ${MAX_EVENTS_PER_PAGE}
  ), found AS (
    SELECT read.*, jobs.job_id, jobs.tenant FROM read LEFT JOIN phaseline.jobs AS jobs ON jobs.job_id = ${TO_JOB_ID}
    WHERE actor ->> 'kind' IN ('person', 'service')
      AND ($3::text IS NULL OR actor ->> 'id' = $3 OR actor -> 'onBehalfOf' ->> 'id' = $3)
      AND ($4::text IS NULL OR type = $4)
      AND CASE WHEN jobs.job_id IS NULL THEN $5 ELSE $6::text[] IS NULL OR jobs.tenant = ANY ($6) END
      AND ($7::text IS NULL OR jobs.tenant = $7)
  )
  SELECT type, actor, recorded_at AS at, stream_id, version, job_id, tenant, transaction_id::text, position::text
  FROM found ORDER BY found.transaction_id DESC, found.position DESC LIMIT $9`;

/** Finds where the page of `buildActionsQuery` ends. Names are qualified: a bare `position` in ORDER BY is the text of the result. */
const buildEndQuery = (ofJob: boolean): string => `
  SELECT events.transaction_id::text AS transaction, events.position::text FROM phaseline.events
  WHERE ${ofJob ? 'correlation_id = $3 AND' : '$3::text IS NULL AND'}
    ($1::text IS NULL OR ${ofJob ? 'position < $2::bigint' : '(transaction_id, position) < ($1::text::xid8, $2::bigint)'})
  ORDER BY ${ofJob ? 'events.position DESC' : 'events.transaction_id DESC, events.position DESC'} OFFSET ${MAX_EVENTS_PER_PAGE - 1} LIMIT 1`;

/** Reads one page of what persons and keys did, latest first. `next` is set while the log has more events. */
export async function readActions(
  pool: Pool,
  filter: ActionsFilter,
): Promise<{ readonly items: readonly ActionRecord[]; readonly next: Place | undefined }> {
  const { after, actor, action, jobId, tenant, tenants, withSystem, limit } = filter;
  const place = [after?.transaction ?? null, after?.position ?? null];
  const rows = await queryRows<Row>(pool, {
    text: buildActionsQuery(jobId !== undefined),
    values: [
      ...place,
      ...[actor ?? null, action ?? null, withSystem, tenants === 'all' ? null : tenants, tenant ?? null, jobId ?? null],
      limit + 1,
    ],
  });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length > limit && last)
    return { items: items.map(toAction), next: { transaction: last.transaction_id, position: last.position } };
  const [end] = await queryRows<Place>(pool, {
    text: buildEndQuery(jobId !== undefined),
    values: [...place, jobId ?? null],
  });
  return { items: items.map(toAction), next: end };
}

function toAction(row: Row): ActionRecord {
  return {
    action: row.type,
    actor: row.actor,
    at: row.at.toISOString(),
    streamId: row.stream_id,
    version: Number(row.version),
    ...(row.job_id === null ? {} : { jobId: row.job_id }),
    ...(row.tenant === null ? {} : { tenant: row.tenant }),
  };
}
