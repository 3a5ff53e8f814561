import type { JobId } from '@phaseline/contracts';
import type { StartWhen } from '@phaseline/domain';
import { queryRows, runInTransaction } from '@phaseline/event-store';
import { createJobId } from '@phaseline/repository';
import type pg from 'pg';

/**
 * Id of the actor that submits follow-on jobs. It has no key, no role and no right: only `submitFollowOns` acts as it. Ids of principals
 * contain no "/".
 */
export const FOLLOW_ON_ACTOR = 'system/follow-on';

/** An agent that starts when requirements are open. */
export interface FollowOnAgent {
  readonly name: string;
  readonly startWhen: StartWhen;
}

/** A job that wrote requirements to a collection of the cache. */
export interface CacheWriter {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly collection: string;
}

/** Requirements of a collection for which one job of an agent is submitted. */
export interface FollowOnBatch {
  readonly agent: string;
  readonly tenant: string;
  readonly collection: string;
  /** Number of the batch of this agent, tenant and collection, from 1. */
  readonly batch: number;
  readonly jobId: JobId;
  /** Number of requirements. */
  readonly requirements: number;
}

/** Requirements that a job wrote, as far as one agent takes them up. */
export interface FollowOnOfJob extends FollowOnBatch {
  /** Number of requirements of the batch that this job wrote. */
  readonly ofJob: number;
  readonly isSubmitted: boolean;
}

/** Seed of the advisory locks that serialise the batches of an agent and tenant. The same in every release. */
const BATCH_LOCK_SEED = 740_617;

const COLUMNS = `agent, tenant, collection, batch, job_id AS "jobId", requirements`;

/** Batches of the cache for agents with `startWhen` (migrations/000033_follow_on_batches.sql). */
export class FollowOnBatches {
  constructor(private readonly pool: pg.Pool) {}

  /** Records jobs that wrote to the cache. Recording one again has no effect. */
  async addWriters(writers: readonly CacheWriter[]): Promise<void> {
    if (writers.length === 0) return;
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.cache_writers (job_id, tenant, collection)
        SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING`,
      values: [
        writers.map(({ jobId }) => jobId),
        writers.map(({ tenant }) => tenant),
        writers.map(({ collection }) => collection),
      ],
    });
  }

  /** Returns the tenants in which the end of these jobs may allow another batch. */
  async listTenantsOf(jobIds: readonly JobId[]): Promise<readonly string[]> {
    const rows = await queryRows<{ tenant: string }>(this.pool, {
      text: `SELECT tenant FROM phaseline.cache_writers WHERE job_id = ANY ($1::uuid[])
        UNION SELECT tenant FROM phaseline.follow_on_batches WHERE job_id = ANY ($1::uuid[])`,
      values: [jobIds],
    });
    return rows.map(({ tenant }) => tenant);
  }

  /** Returns all tenants whose jobs wrote to the cache. */
  async listTenants(): Promise<readonly string[]> {
    const rows = await queryRows<{ tenant: string }>(this.pool, {
      text: 'SELECT DISTINCT tenant FROM phaseline.cache_writers',
      values: [],
    });
    return rows.map(({ tenant }) => tenant);
  }

  /**
   * Forms the batches that an agent may start in a tenant now, and returns all for which no job was submitted yet, also those of earlier
   * calls. A batch has `startWhen.batch` requirements; fewer only if every job that wrote one of them has ended.
   */
  async form({ name, startWhen }: FollowOnAgent, tenant: string): Promise<readonly FollowOnBatch[]> {
    return runInTransaction(this.pool, async (client) => {
      // A separate statement, so that the following ones see what the previous owner of the lock committed.
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${BATCH_LOCK_SEED}))`, [
        JSON.stringify([name, tenant]),
      ]);
      await client.query(
        `UPDATE phaseline.follow_on_batches AS b SET has_ended = true FROM phaseline.streams AS s
         WHERE b.agent = $1 AND b.tenant = $2 AND NOT b.has_ended AND s.stream_id = 'job-' || b.job_id AND s.closed`,
        [name, tenant],
      );
      const { rows: collections } = await client.query<{ collection: string }>(
        'SELECT DISTINCT collection FROM phaseline.cache_writers WHERE tenant = $1 ORDER BY collection',
        [tenant],
      );
      let free = startWhen.perTenant - (await countOpen(client, name, tenant));
      for (const { collection } of collections)
        while (free > 0 && (await formBatch(client, { name, tenant, collection, size: startWhen.batch }))) free -= 1;
      const { rows } = await client.query<FollowOnBatch>(
        `SELECT ${COLUMNS} FROM phaseline.follow_on_batches
         WHERE agent = $1 AND tenant = $2 AND NOT has_ended AND submitted_at IS NULL ORDER BY collection, batch`,
        [name, tenant],
      );
      return rows;
    });
  }

  /** Records that the job of a batch was submitted. */
  async markSubmitted({ jobId }: FollowOnBatch): Promise<void> {
    await queryRows(this.pool, {
      text: `UPDATE phaseline.follow_on_batches SET submitted_at = clock_timestamp() WHERE job_id = $1 AND submitted_at IS NULL`,
      values: [jobId],
    });
  }

  /** Returns the jobs that wrote the requirements of a batch. */
  async listWriters({ agent, jobId }: FollowOnBatch): Promise<readonly JobId[]> {
    const rows = await queryRows<{ jobId: JobId }>(this.pool, {
      text: `SELECT DISTINCT c.written_by AS "jobId" FROM phaseline.follow_on_requirements AS r
        JOIN phaseline.cached_requirements AS c ON c.id = r.entry_id WHERE r.agent = $1 AND r.job_id = $2 ORDER BY 1`,
      values: [agent, jobId],
    });
    return rows.map((row) => row.jobId);
  }

  /** Returns the batches of an agent that contain requirements of a job, in the order in which they were formed. */
  async listOfJob(jobId: JobId, agent: string): Promise<readonly FollowOnOfJob[]> {
    return queryRows<FollowOnOfJob>(this.pool, {
      text: `SELECT ${COLUMNS}, w."ofJob", submitted_at IS NOT NULL AS "isSubmitted"
        FROM (SELECT r.job_id, count(*)::int AS "ofJob"
              FROM (SELECT DISTINCT entry_id FROM phaseline.requirement_statements WHERE job_id = $1 AND is_new) AS s
              JOIN phaseline.follow_on_requirements AS r ON r.entry_id = s.entry_id AND r.agent = $2
              GROUP BY r.job_id) AS w
        JOIN phaseline.follow_on_batches AS b USING (job_id) ORDER BY b.formed_at, b.batch`,
      values: [jobId, agent],
    });
  }

  /** Counts the open requirements of a job that are in no batch of an agent yet. */
  async countWaiting(jobId: JobId, agent: string): Promise<number> {
    const [row] = await queryRows<{ waiting: number }>(this.pool, {
      text: `SELECT count(*)::int AS waiting
        FROM (SELECT DISTINCT entry_id FROM phaseline.requirement_statements WHERE job_id = $1 AND is_new) AS s
        JOIN phaseline.cached_requirements AS c ON c.id = s.entry_id AND c.status = 'pending'
        WHERE NOT EXISTS (SELECT FROM phaseline.follow_on_requirements AS r WHERE r.agent = $2 AND r.entry_id = c.id)`,
      values: [jobId, agent],
    });
    return row?.waiting ?? 0;
  }
}

async function countOpen(client: pg.PoolClient, agent: string, tenant: string): Promise<number> {
  const { rows } = await client.query<{ open: number }>(
    'SELECT count(*)::int AS open FROM phaseline.follow_on_batches WHERE agent = $1 AND tenant = $2 AND NOT has_ended',
    [agent, tenant],
  );
  return rows[0]?.open ?? 0;
}

interface Collection {
  readonly name: string;
  readonly tenant: string;
  readonly collection: string;
  /** Number of requirements per batch. */
  readonly size: number;
}

/** Forms the next batch of a collection; false if too few requirements are open. */
async function formBatch(client: pg.PoolClient, { name, tenant, collection, size }: Collection): Promise<boolean> {
  const { rows } = await client.query<{ id: string; hasWriterEnded: boolean }>(
    `SELECT c.id, coalesce(s.closed, true) AS "hasWriterEnded"
     FROM phaseline.cached_requirements AS c
     JOIN phaseline.cache_writers AS w ON w.job_id = c.written_by AND w.collection = c.collection AND w.tenant = $3
     LEFT JOIN phaseline.streams AS s ON s.stream_id = 'job-' || c.written_by
     WHERE c.collection = $1 AND c.status = 'pending'
       AND NOT EXISTS (SELECT FROM phaseline.follow_on_requirements AS r WHERE r.agent = $2 AND r.entry_id = c.id)
     ORDER BY c.id LIMIT $4`,
    [collection, name, tenant, size],
  );
  if (rows.length === 0) return false;
  if (rows.length < size && rows.some(({ hasWriterEnded }) => !hasWriterEnded)) return false;
  const last = await client.query<{ batch: number }>(
    `SELECT coalesce(max(batch), 0) AS batch FROM phaseline.follow_on_batches
     WHERE agent = $1 AND tenant = $2 AND collection = $3`,
    [name, tenant, collection],
  );
  const batch = (last.rows[0]?.batch ?? 0) + 1;
  const jobId = createFollowOnJobId({ agent: name, tenant, collection, batch });
  await client.query(
    `INSERT INTO phaseline.follow_on_batches (agent, tenant, collection, batch, job_id, requirements)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [name, tenant, collection, batch, jobId, rows.length],
  );
  await client.query(
    'INSERT INTO phaseline.follow_on_requirements (agent, entry_id, job_id) SELECT $1, entry, $3 FROM unnest($2::bigint[]) AS entry',
    [name, rows.map(({ id }) => id), jobId],
  );
  return true;
}

function createFollowOnJobId({
  agent,
  tenant,
  collection,
  batch,
}: Pick<FollowOnBatch, 'agent' | 'tenant' | 'collection' | 'batch'>): JobId {
  const key = JSON.stringify([agent, collection, batch]);
  return createJobId({ isEncrypted: false, tenant, actorId: FOLLOW_ON_ACTOR, key });
}
