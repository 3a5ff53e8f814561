import { randomUUID } from 'node:crypto';
import { getActorName, type Actor, type JobId } from '@phaseline/contracts';
import { RETENTION_ACTOR } from '@phaseline/domain';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import type { RetentionOutcome, RetentionResult } from './retention-types.js';

/** Time after a change of a setting in which the service does not apply it by itself. */
const CORRECTION_SECONDS = 60 * 60;

/** The tenants of a run, or those in which a caller has the right. */
export type RunTenants = 'all' | readonly string[];

/** A run of retention: what was requested, and how far it is. The figures cover only the tenants that the reader may see. */
export interface RetentionRun {
  readonly runId: string;
  readonly requestedAt: Date;
  readonly requestedBy: string;
  readonly tenants: RunTenants;
  readonly dryRun: boolean;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** Why the run failed. */
  readonly failure: string | null;
  /** Number of ended jobs whose time is over that were checked so far. */
  readonly jobs: number;
  /** Number of these jobs of which something was removed; with `dryRun`, would be removed. */
  readonly removedJobs: number;
  readonly files: number;
  readonly bytes: number;
  readonly vectorFiles: number;
  readonly learningTraces: number;
  /** Number of jobs whose events moved to cold storage; with `dryRun`, would move. */
  readonly movedJobs: number;
  /** Number of events that moved. */
  readonly archivedEvents: number;
  /** Size of the archives that the run made, in bytes. */
  readonly archiveBytes: number;
}

export interface RetentionRunJob extends RetentionResult {
  /** Position in the list of its run. */
  readonly number: number;
}

/** A run that has not ended, with what is needed to execute it. */
export interface OpenRun {
  readonly runId: string;
  readonly actor: Actor;
  readonly tenants: RunTenants;
  readonly dryRun: boolean;
}

interface RunRow extends Omit<RetentionRun, 'requestedBy' | 'tenants'> {
  readonly actor: Actor;
  readonly tenants: readonly string[] | null;
}

/** $1: the tenants that the reader may see; NULL: all. */
const SELECT_RUN = `SELECT r.run_id AS "runId", r.requested_at AS "requestedAt", r.actor, r.tenants, r.dry_run AS "dryRun",
    r.started_at AS "startedAt", r.ended_at AS "endedAt", r.failure, f.*
  FROM phaseline.retention_runs AS r
  CROSS JOIN LATERAL (
    SELECT count(DISTINCT j.job_id)::int AS jobs,
      count(DISTINCT j.job_id) FILTER (WHERE j.outcome ->> 'kind' IN ('removed', 'vectors-removed', 'traces-removed'))::int AS "removedJobs",
      coalesce(sum((j.outcome ->> 'files')::bigint), 0)::float8 AS files,
      coalesce(sum((j.outcome ->> 'bytes')::bigint), 0)::float8 AS bytes,
      coalesce(sum((j.outcome ->> 'vectorFiles')::bigint), 0)::float8 AS "vectorFiles",
      coalesce(sum((j.outcome ->> 'traces')::bigint), 0)::float8 AS "learningTraces",
      count(*) FILTER (WHERE j.outcome ->> 'kind' = 'moved')::int AS "movedJobs",
      coalesce(sum((j.outcome ->> 'events')::bigint), 0)::float8 AS "archivedEvents",
      coalesce(sum((j.outcome ->> 'archiveBytes')::bigint), 0)::float8 AS "archiveBytes"
    FROM phaseline.retention_run_jobs AS j
    WHERE j.run_id = r.run_id AND ($1::text[] IS NULL OR j.tenant = ANY ($1))
  ) AS f`;
/** A run over all tenants is visible in each of them. */
const IS_VISIBLE = '($1::text[] IS NULL OR r.tenants IS NULL OR r.tenants && $1)';

/** Requests of runs and what they did, in the database. */
export class RetentionRuns {
  constructor(private readonly pool: pg.Pool) {}

  /** Requests a run. Returns the id of the one that has not ended, if there is one for the same tenants. */
  async request({ actor, tenants, dryRun }: Omit<OpenRun, 'runId'>): Promise<string> {
    const names = toArray(tenants)?.toSorted() ?? null;
    for (;;) {
      const [row] = await queryRows<{ id: string }>(this.pool, {
        text: `WITH added AS (
            INSERT INTO phaseline.retention_runs (run_id, actor, tenants, dry_run) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING run_id)
          SELECT run_id AS id FROM added
          UNION ALL SELECT run_id FROM phaseline.retention_runs
          WHERE ended_at IS NULL AND dry_run = $4 AND coalesce(tenants, '{}') = coalesce($3::text[], '{}')`,
        values: [randomUUID(), JSON.stringify(actor), names, dryRun],
      });
      // The other run ended in between.
      if (row) return row.id;
    }
  }

  /**
   * Requests a run if the service has requested none within the interval. Tenants whose setting was changed a moment
   * ago are left to the next run, so that a mistake can be corrected before it removes anything.
   */
  async requestAutomatic(everyMs: number): Promise<void> {
    const actor = JSON.stringify({ id: RETENTION_ACTOR, kind: 'process' });
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.retention_runs (run_id, actor, tenants, dry_run)
        SELECT $1, $2, due.tenants, false
        FROM (SELECT array_agg(tenant ORDER BY tenant) AS tenants FROM phaseline.retention_settings
              WHERE coalesce(files_days, vectors_days, learning_days, cold_days) IS NOT NULL
                AND (changed_at IS NULL OR changed_at < clock_timestamp() - make_interval(secs => $5))) AS due
        WHERE due.tenants IS NOT NULL AND NOT EXISTS (SELECT FROM phaseline.retention_runs
          WHERE actor ->> 'id' = $3 AND requested_at > clock_timestamp() - make_interval(secs => $4))
        ON CONFLICT DO NOTHING`,
      values: [randomUUID(), actor, RETENTION_ACTOR, everyMs / 1_000, CORRECTION_SECONDS],
    });
  }

  /** Returns a run; undefined if there is none, or if it concerns none of the tenants. */
  async get(runId: string, tenants: RunTenants): Promise<RetentionRun | undefined> {
    const [row] = await queryRows<RunRow>(this.pool, {
      text: `${SELECT_RUN} WHERE r.run_id = $2 AND ${IS_VISIBLE}`,
      values: [toArray(tenants), runId],
    });
    return row && toRun(row, tenants);
  }

  /** Returns the newest run that removed something or could have; undefined if there was none. */
  async getLatest(tenants: RunTenants): Promise<RetentionRun | undefined> {
    const [row] = await queryRows<RunRow>(this.pool, {
      text: `${SELECT_RUN} WHERE NOT r.dry_run AND ${IS_VISIBLE} ORDER BY r.requested_at DESC LIMIT 1`,
      values: [toArray(tenants)],
    });
    return row && toRun(row, tenants);
  }

  /** Reads a page of what a run did, in order, of jobs of these tenants. */
  async listJobs(
    runId: string,
    { tenants, after, limit }: { readonly tenants: RunTenants; readonly after: number; readonly limit: number },
  ): Promise<readonly RetentionRunJob[]> {
    return queryRows<{ jobId: JobId; tenant: string; outcome: RetentionOutcome; number: number }>(this.pool, {
      text: `SELECT number::float8 AS number, job_id AS "jobId", tenant, outcome FROM phaseline.retention_run_jobs
        WHERE run_id = $2 AND number > $3 AND ($1::text[] IS NULL OR tenant = ANY ($1)) ORDER BY number LIMIT $4`,
      values: [toArray(tenants), runId, after, limit],
    });
  }

  /** Returns the oldest run that has not ended. */
  async findOpen(): Promise<OpenRun | undefined> {
    const [row] = await queryRows<Pick<RunRow, 'runId' | 'actor' | 'tenants' | 'dryRun'>>(this.pool, {
      text: `SELECT run_id AS "runId", actor, tenants, dry_run AS "dryRun" FROM phaseline.retention_runs
        WHERE ended_at IS NULL ORDER BY requested_at LIMIT 1`,
      values: [],
    });
    return row && { ...row, tenants: row.tenants ?? 'all' };
  }

  async recordStart(runId: string): Promise<void> {
    const text = `UPDATE phaseline.retention_runs SET started_at = coalesce(started_at, clock_timestamp()) WHERE run_id = $1`;
    await queryRows(this.pool, { text, values: [runId] });
  }

  async recordResult(runId: string, { jobId, tenant, outcome }: RetentionResult): Promise<void> {
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.retention_run_jobs (run_id, job_id, tenant, outcome) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING`,
      values: [runId, jobId, tenant, JSON.stringify(outcome)],
    });
  }

  async recordEnd(runId: string, failure: string | undefined): Promise<void> {
    const text = `UPDATE phaseline.retention_runs SET ended_at = clock_timestamp(), failure = $2 WHERE run_id = $1`;
    await queryRows(this.pool, { text, values: [runId, failure ?? null] });
  }
}

function toArray(tenants: RunTenants): readonly string[] | null {
  return tenants === 'all' ? null : tenants;
}

/** Leaves out the tenants that the reader may not see. */
function toRun({ actor, tenants: own, ...row }: RunRow, visible: RunTenants): RetentionRun {
  const tenants = own?.filter((tenant) => visible === 'all' || visible.includes(tenant)) ?? 'all';
  return { ...row, requestedBy: getActorName(actor), tenants };
}
