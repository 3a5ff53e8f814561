import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { ContentErased, DecryptionFailed, MasterKeyMissing, queryRows, type EventLog } from '@phaseline/event-store';
import type pg from 'pg';

/** A legal hold on a job that was not released. */
export interface Hold {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly actor: string;
  /** Missing if the job is encrypted and this process cannot decrypt it. */
  readonly reason?: string;
  readonly placedAt: Date;
  /** Position of the event that placed the hold. */
  readonly position: number;
}

export interface HoldFilter {
  /** The tenants whose holds are returned. */
  readonly tenants: 'all' | readonly string[];
  /** One of these tenants; absent for all of them. */
  readonly tenant?: string | undefined;
  readonly jobId?: JobId | undefined;
  /** Only holds after this position. */
  readonly after: number;
  readonly limit: number;
}

interface HoldRow {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly actor: string;
  readonly reason: string;
  readonly placedAt: Date;
  readonly position: number;
}

/** Reads a page of the holds that are in force, oldest first, from the index `events_holds`. The newest event decides per job. */
export async function listHolds(
  store: Pick<EventLog, 'readCorrelation'>,
  pool: pg.Pool,
  { tenants, tenant, jobId, after, limit }: HoldFilter,
): Promise<readonly Hold[]> {
  const rows = await queryRows<HoldRow>(pool, {
    text: `SELECT p.correlation_id AS "jobId", t.tenant, p.data ->> 'actor' AS actor, p.data ->> 'reason' AS reason,
        p.recorded_at AS "placedAt", p.position::float8 AS position
      FROM phaseline.events AS p
      JOIN phaseline.events AS s ON s.stream_id = p.stream_id AND s.version = 1
      CROSS JOIN LATERAL (SELECT coalesce(s.data ->> 'tenant', 'default') AS tenant) AS t
      WHERE p.type = 'HoldPlaced' AND p.position > $1
        AND ($2::text[] IS NULL OR t.tenant = ANY ($2)) AND ($3::text IS NULL OR t.tenant = $3)
        AND ($4::text IS NULL OR p.correlation_id = $4)
        AND NOT EXISTS (
          SELECT FROM phaseline.events AS later WHERE later.type IN ('HoldPlaced', 'HoldReleased')
            AND later.correlation_id = p.correlation_id AND later.position > p.position)
      ORDER BY p.position LIMIT $5`,
    values: [after, tenants === 'all' ? null : [...tenants], tenant ?? null, jobId ?? null, limit],
  });
  return Promise.all(rows.map(async ({ reason, ...row }) => ({ ...row, ...(await readReason(store, row, reason)) })));
}

/** The row of an encrypted job contains a placeholder, so its reason is read from the decrypted event. */
async function readReason(
  store: Pick<EventLog, 'readCorrelation'>,
  { jobId, position }: Pick<HoldRow, 'jobId' | 'position'>,
  stored: string,
): Promise<{ readonly reason?: string }> {
  if (!isEncryptedJob(jobId)) return { reason: stored };
  try {
    const [event] = await store.readCorrelation(jobId, { after: position - 1, limit: 1, texts: 'whole' });
    const reason = event?.data['reason'];
    return typeof reason === 'string' ? { reason } : {};
  } catch (error) {
    if (error instanceof MasterKeyMissing || error instanceof ContentErased || error instanceof DecryptionFailed)
      return {};
    throw error;
  }
}
