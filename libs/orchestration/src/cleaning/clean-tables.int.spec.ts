import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cleanTables, readTableCleanings, type CleanedTable, type KeptDays } from './clean-tables.js';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 4 });
  owner = createPool(database.ownerUrl, { max: 2 });
});
beforeEach(async () => {
  await owner.query('ALTER TABLE phaseline.events DISABLE TRIGGER events_are_append_only');
  await owner.query(`TRUNCATE phaseline.table_cleanings, phaseline.snapshots, phaseline.graph_calls, phaseline.dead_letters,
    phaseline.retention_runs, phaseline.cached_requirements, phaseline.cache_writers, phaseline.follow_on_batches,
    phaseline.events, phaseline.streams CASCADE`);
});
afterAll(async () => {
  await pool?.end();
  await owner?.end();
  await database?.drop();
});

const KEEP: KeptDays = {
  snapshots: undefined,
  graph_calls: undefined,
  cached_requirements: undefined,
  dead_letters: undefined,
  retention_runs: undefined,
};

/** Cleans one table of rows that are older than 30 days, two rows per transaction. Returns the number of removed rows. */
async function clean(table: CleanedTable, days = 30): Promise<number | undefined> {
  const options = { keptDays: { ...KEEP, [table]: days }, everyMs: 0, rowsPerBatch: 2 };
  return (await cleanTables(pool, { ...options, signal: new AbortController().signal }))[table];
}

/** Writes the events of a job into the log as they are stored, some days ago. */
async function addJob(types: readonly string[], daysAgo = 40): Promise<JobId> {
  const jobId = randomUUID() as JobId;
  for (const [index, type] of types.entries())
    await owner.query(
      `INSERT INTO phaseline.events (version, transaction_id, recorded_at, event_id, schema_version, stream_id, type, correlation_id, hash, data, metadata)
       VALUES ($1, pg_current_xact_id(), now() - make_interval(days => $2), gen_random_uuid(), 1, 'job-' || $3, $4, $3, '\\x00', '{}', '{}')`,
      [index + 1, daysAgo, jobId, type],
    );
  return jobId;
}

/** Jobs of which nothing may be removed, and one that ended 40 days ago. */
async function addJobs(): Promise<{ readonly ended: JobId; readonly kept: readonly JobId[] }> {
  const kept = [
    await addJob(['JobSubmitted']),
    await addJob(['JobSubmitted', 'JobFailed', 'JobRetried']),
    await addJob(['JobSubmitted', 'JobCompleted', 'HoldPlaced']),
    await addJob(['JobSubmitted', 'JobCompleted'], 20),
  ];
  return { kept, ended: await addJob(['JobSubmitted', 'HoldPlaced', 'JobCompleted', 'HoldReleased', 'FilesRemoved']) };
}

async function list(query: string): Promise<unknown[]> {
  return (await owner.query<{ value: unknown }>(`SELECT ${query} ORDER BY 1`)).rows.map(({ value }) => value);
}

describe('cleaning removes old rows, and no others, of', () => {
  it('snapshots of jobs that ended long ago without a hold', async () => {
    const { ended, kept } = await addJobs();
    for (const jobId of [...kept, ended])
      for (const [streamId, daysAgo] of [
        [`job-${jobId}`, 35],
        [`phase-${jobId}-1`, 35],
        [`phase-${jobId}-2`, 5],
      ] as const) {
        await owner.query(`INSERT INTO phaseline.streams VALUES ($1, 1, '\\x00', $2, true, now())`, [streamId, jobId]);
        await owner.query(
          `INSERT INTO phaseline.snapshots VALUES ($1, 1, 'fold', '\\x00', '{}', now() - make_interval(days => $2))`,
          [streamId, daysAgo],
        );
      }
    expect(await clean('snapshots')).toBe(2);
    const streams = kept.flatMap((jobId) => [`job-${jobId}`, `phase-${jobId}-1`, `phase-${jobId}-2`]);
    expect(await list('stream_id AS value FROM phaseline.snapshots')).toEqual(
      [...streams, `phase-${ended}-2`].toSorted(),
    );
  });

  it('results of calls of jobs that ended long ago, without which a call that runs again would repeat its effect', async () => {
    const { ended, kept } = await addJobs();
    for (const jobId of [...kept, ended])
      for (const daysAgo of [35, 35, 5])
        await owner.query(
          `INSERT INTO phaseline.graph_calls VALUES ($1, $2, 'graph', '"result"', now() - make_interval(days => $3))`,
          [jobId, randomUUID(), daysAgo],
        );
    expect(await clean('graph_calls')).toBe(2);
    expect(await list('DISTINCT job_id::text AS value FROM phaseline.graph_calls')).toEqual(
      [...kept, ended].toSorted(),
    );
    expect(await list('count(*)::int AS value FROM phaseline.graph_calls')).toEqual([kept.length * 3 + 1]);
  });

  it('requirements with all that refers to them, but not the newest batch, which numbers the next', async () => {
    const { ended, kept } = await addJobs();
    const other = await addJob(['JobSubmitted', 'JobCompleted']);
    const batches = [await addJob(['JobSubmitted', 'JobCompleted']), await addJob(['JobSubmitted', 'JobCompleted'])];
    for (const [index, jobId] of batches.entries())
      await owner.query(
        `INSERT INTO phaseline.follow_on_batches VALUES ('validator', 'default', 'c', $1, $2, 1, now(), now(), true)`,
        [index + 1, jobId],
      );
    const add = async (text: string, writers: readonly JobId[], batch?: JobId, endedDaysAgo: number | null = 35) => {
      const { rows } = await owner.query<{ id: string }>(
        `INSERT INTO phaseline.cached_requirements (collection, digest, requirement_id, content, modality, section, citation, confidence, written_by,
           status, token, claimed_by, claim_call, ended_at)
         VALUES ('c', sha256(convert_to($1::text, 'UTF8')), $1, $1, 'must', '{}', '{}', 1, $2, $3, 1, $2, 'call', now() - make_interval(days => $4)) RETURNING id`,
        [text, writers[0], endedDaysAgo === null ? 'pending' : 'done', endedDaysAgo],
      );
      for (const jobId of writers) {
        await owner.query(`INSERT INTO phaseline.requirement_statements VALUES ($1, $2, 1, $3, 'r', '{}', $4)`, [
          jobId,
          text,
          rows[0]!.id,
          jobId === writers[0],
        ]);
        await owner.query(`INSERT INTO phaseline.cache_writers VALUES ($1, 'default', 'c') ON CONFLICT DO NOTHING`, [
          jobId,
        ]);
      }
      await owner.query(`INSERT INTO phaseline.requirement_outcomes VALUES ($1, $2, $3, 1, 'done')`, [
        ...[writers[0], text, rows[0]!.id],
      ]);
      if (batch)
        await owner.query(`INSERT INTO phaseline.follow_on_requirements VALUES ('validator', $1, $2)`, [
          ...[rows[0]!.id, batch],
        ]);
    };
    await add('old', [ended], batches[0]);
    await add('old too', [ended], batches[1]);
    await add('still open', [other], undefined, null);
    await add('of a moment ago', [other], undefined, 5);
    for (const [index, jobId] of kept.entries())
      await add(`also stated by a job that needs it ${index}`, [other, jobId]);

    expect(await clean('cached_requirements')).toBe(2);
    expect(await list('content AS value FROM phaseline.cached_requirements')).toEqual(
      [
        ...kept.map((_, index) => `also stated by a job that needs it ${index}`),
        'of a moment ago',
        'still open',
      ].toSorted(),
    );
    expect(await list('job_id::text AS value FROM phaseline.cache_writers')).toEqual([...kept, other].toSorted());
    expect(await list('batch AS value FROM phaseline.follow_on_batches')).toEqual([2]);
    expect(await list('count(*)::int AS value FROM phaseline.follow_on_requirements')).toEqual([0]);
  });

  it('closed dead letters, but not open ones and those of a job on hold', async () => {
    const held = await addJob(['JobSubmitted', 'JobCompleted', 'HoldPlaced']);
    const add = (id: string, closed: string, payload: object = { agent: 'writer' }) =>
      owner.query(
        `INSERT INTO phaseline.dead_letters (queue, message_id, payload, reason, attempts, failed_at, retried_at, discarded_at)
         SELECT 'jobs', $1, $2, 'r', 1, now() - interval '99 days',
           CASE WHEN $3 = 'retried' THEN now() - interval '35 days' WHEN $3 = 'new' THEN now() - interval '5 days' END,
           CASE WHEN $3 = 'discarded' THEN now() - interval '35 days' END`,
        [id, JSON.stringify(payload), closed],
      );
    await add('a', 'retried');
    await add('b', 'discarded');
    await add('c', 'retried', { jobId: randomUUID(), phase: 1 });
    await add('open', 'open');
    await add('of a moment ago', 'new');
    await add('on hold', 'discarded', { jobId: held, phase: 1 });
    expect(await clean('dead_letters')).toBe(3);
    expect(await list('message_id AS value FROM phaseline.dead_letters')).toEqual([
      'of a moment ago',
      'on hold',
      'open',
    ]);
  });

  it('runs of retention that ended long ago, with what they did with each job', async () => {
    const add = async (daysAgo: number, hasEnded: boolean): Promise<string> => {
      const runId = randomUUID();
      await owner.query(
        `INSERT INTO phaseline.retention_runs (run_id, requested_at, actor, tenants, dry_run, ended_at)
         VALUES ($1::uuid, now() - make_interval(days => $2), '{}', ARRAY[$1::uuid::text], true, CASE WHEN $3 THEN now() END)`,
        [runId, daysAgo, hasEnded],
      );
      for (let job = 0; job < 5; job += 1)
        await owner.query(
          `INSERT INTO phaseline.retention_run_jobs (run_id, job_id, tenant, outcome) VALUES ($1, $2, 'default', '{}')`,
          [runId, String(job)],
        );
      return runId;
    };
    await add(40, true);
    await add(35, true);
    const kept = [await add(40, false), await add(5, true)];
    expect(await clean('retention_runs')).toBe(10);
    expect(await list('run_id::text AS value FROM phaseline.retention_runs')).toEqual(kept.toSorted());
  });
});

describe('cleaning', () => {
  it('is done by one process per interval, and can be read', async () => {
    const options = {
      keptDays: { ...KEEP, snapshots: 30, dead_letters: 90 },
      everyMs: 3_600_000,
      signal: new AbortController().signal,
    };
    const results = await Promise.all([
      cleanTables(pool, options),
      cleanTables(pool, options),
      cleanTables(pool, options),
    ]);
    expect(results.flatMap((one) => Object.keys(one)).toSorted()).toEqual(['dead_letters', 'snapshots']);
    expect(await readTableCleanings(pool)).toEqual([
      ...[
        {
          table: 'dead_letters',
          keptDays: 90,
          startedAt: expect.any(Date) as Date,
          endedAt: expect.any(Date) as Date,
          removed: 0,
        },
      ],
      ...[
        {
          table: 'snapshots',
          keptDays: 30,
          startedAt: expect.any(Date) as Date,
          endedAt: expect.any(Date) as Date,
          removed: 0,
        },
      ],
    ]);
    expect(await cleanTables(pool, options)).toEqual({});
    await owner.query(`UPDATE phaseline.table_cleanings SET started_at = started_at - interval '1 hour'`);
    expect(Object.keys(await cleanTables(pool, options))).toHaveLength(2);
    await cleanTables(pool, { ...options, keptDays: { ...KEEP, dead_letters: 90 } });
    expect((await readTableCleanings(pool)).map(({ table }) => table)).toEqual(['dead_letters']);
  });

  it('leaves the services no right to remove rows that a call may need', async () => {
    for (const table of ['graph_calls', 'cached_requirements', 'cache_writers', 'follow_on_batches'])
      await expect(pool.query(`DELETE FROM phaseline.${table}`)).rejects.toThrow(/permission denied/);
  });
});
