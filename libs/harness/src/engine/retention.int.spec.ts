import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportLog, openAuditKey, verifyExport, verifyFiles } from '@phaseline/audit';
import { messageSpecs, type JobId, type Sender } from '@phaseline/contracts';
import { agentDefinitionSchema, type JobEvent } from '@phaseline/domain';
import { buildJobSubmitted } from '@phaseline/domain/testing';
import { createPool, EventStore } from '@phaseline/event-store';
import { holdJob, Retention, setRetention, type RetentionResult } from '@phaseline/orchestration';
import { buildJobAppend, JobRepository } from '@phaseline/repository';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { Forks, TimeTravel } from '@phaseline/time-travel';
import { Client, type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultAgent, defaultWorkflow, Engine } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';

let database: TestDatabase;
let pool: Pool;
let owner: Pool;
let store: EventStore;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 8 });
  owner = createPool(database.ownerUrl, { max: 2 });
  store = new EventStore(pool);
  await keepFor({ filesDays: 30 });
});
afterEach(async () => {
  await pool.end();
  await owner.end();
  await database.drop();
});

const actor = { id: 'retention', kind: 'process' } as const;
const IN_31_DAYS = (): Date => new Date(Date.now() + 31 * 24 * 60 * 60 * 1_000);

function keepFor(days: {
  readonly filesDays?: number;
  readonly vectorsDays?: number;
  readonly learningDays?: number;
}): Promise<void> {
  const setting = { filesDays: null, vectorsDays: null, learningDays: null, coldDays: null, ...days };
  return setRetention(store, pool, 'default', { days: setting, actor });
}

/** Stores an embedding of a text for a job, as semantic search does. */
async function index(jobId: JobId, text: string): Promise<void> {
  await owner.query(
    `WITH e AS (INSERT INTO phaseline.vector_embeddings (tenant, space, digest, embedding)
       VALUES ('default', 'spec', sha256($2), '\\x00') ON CONFLICT DO NOTHING),
     f AS (INSERT INTO phaseline.vector_files (job_id, space, file_hash, chunks) VALUES ($1, 'spec', sha256($2), 1))
     INSERT INTO phaseline.vector_chunks (job_id, space, file_hash, ordinal, from_line, to_line, tenant, digest)
     VALUES ($1, 'spec', sha256($2), 1, 1, 1, 'default', sha256($2))`,
    [jobId, Buffer.from(text)],
  );
}

async function countEmbeddings(): Promise<number> {
  const { rows } = await owner.query<{ n: number }>('SELECT count(*)::int AS n FROM phaseline.vector_embeddings');
  return rows[0]!.n;
}

/** Runs a job that writes these texts, one file each. */
async function playJob(...texts: readonly string[]): Promise<{ readonly jobId: JobId; readonly engine: Engine }> {
  const policy = createThreePhasePolicy(
    texts.map((content, index) => call('write_file', { path: `notes/${index}.md`, content })),
  );
  const engine = new Engine({ store, policy });
  return { engine, jobId: await engine.submitAndRun() };
}

async function ageBlobs(): Promise<void> {
  await owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '2 days'`);
}

async function run(options: RunOptions = {}): Promise<readonly RetentionResult[]> {
  await readReferences();
  return runOnce(options);
}

async function runOnce(options: RunOptions): Promise<readonly RetentionResult[]> {
  const results: RetentionResult[] = [];
  for await (const result of new Retention(store, pool).run({ actor, now: IN_31_DAYS(), ...options }))
    results.push(result);
  return results;
}

type RunOptions = Partial<Parameters<Retention['run']>[0]>;

/** A run knows an event once all transactions before it have ended, also those of other specs on the same server. */
async function readReferences(): Promise<void> {
  const isRead = async (): Promise<boolean> => {
    await pool.query('SELECT phaseline.reference_files(10000)');
    const { rows } = await pool.query<{ is_read: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM phaseline.events AS e WHERE e.transaction_id > p.transaction_id) AS is_read
       FROM phaseline.file_reference_progress AS p`,
    );
    return rows[0]!.is_read;
  };
  await expect.poll(isRead, { timeout: 60_000, interval: 20 }).toBe(true);
}

/** The texts that are still stored. */
async function stored(): Promise<readonly string[]> {
  const { rows } = await owner.query<{ content: Buffer }>('SELECT content FROM phaseline.blobs');
  return rows.map(({ content }) => content.toString());
}

async function candidates(): Promise<readonly JobId[]> {
  const { rows } = await owner.query<{ id: JobId }>(
    'SELECT correlation_id AS id FROM phaseline.retention_candidates ORDER BY ended_at',
  );
  return rows.map(({ id }) => id);
}

const failed: JobEvent = { type: 'JobFailed', data: { code: 'spec', message: 'failed' } };

function submitted(jobId: JobId): JobEvent {
  const agent = agentDefinitionSchema.parse(defaultAgent);
  return buildJobSubmitted({ jobId, agent, workflow: defaultWorkflow });
}

/** Appends the logs of jobs that failed at once. */
async function endJobs(count: number): Promise<readonly JobId[]> {
  const jobIds = Array.from({ length: count }, () => randomUUID());
  for (const jobId of jobIds) await store.append(buildJobAppend(jobId, 0, [submitted(jobId), failed], { actor }));
  return jobIds;
}

/** Ends this many jobs, ten of them 40 days ago, and returns the statements of a run that removes the ten. */
async function countStatements(jobs: number): Promise<{ readonly statements: number; readonly jobs: number }> {
  await endJobs(jobs);
  await run({ now: new Date() });
  await owner.query(
    `UPDATE phaseline.retention_candidates SET ended_at = ended_at - interval '40 days'
     WHERE correlation_id IN (SELECT correlation_id FROM phaseline.retention_candidates ORDER BY ended_at DESC LIMIT 10)`,
  );
  const query = vi.spyOn(Client.prototype, 'query');
  const results = await runOnce({ now: new Date() });
  const statements = query.mock.calls.length;
  query.mockRestore();
  return { statements, jobs: results.length };
}

const removals = (jobId: JobId) => store.readCorrelation(jobId, { types: ['FilesRemoved'] });

describe('retention', () => {
  it('removes the files of an ended job with an event that names them, and verification says so', async () => {
    const { jobId, engine } = await playJob('alpha', 'beta');
    await ageBlobs();
    expect(await run({ now: new Date() })).toEqual([]);
    expect(await run({ dryRun: true })).toMatchObject([{ jobId, outcome: { kind: 'removed' } }]);
    expect(await stored()).toContain('alpha');

    const [result] = await run();
    expect(result).toMatchObject({ jobId, outcome: { kind: 'removed' } });
    expect(await stored()).not.toContain('alpha');
    const [event] = await removals(jobId);
    expect(event?.data).toMatchObject({ actor: 'retention', afterDays: 30, hasMore: false });
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const report = await verifyFiles(pool);
    expect(report.problems).toEqual([]);
    expect(report.removedByRetention).toBeGreaterThanOrEqual(2);
    const folder = await mkdtemp(join(tmpdir(), 'retention-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const key = await openAuditKey(join(folder, 'key.pem'));
    await exportLog(pool, { folder: join(folder, 'export'), key, now: () => new Date(), withFiles: true });
    const exported = await verifyExport(join(folder, 'export'));
    expect(exported.problems).toEqual([]);
    expect(exported.notChecked).toContainEqual(expect.stringContaining('removed by retention'));
    expect(await run()).toEqual([]);
  });

  it('keeps a file that another job needs until that job is removed too', async () => {
    const first = await playJob('shared', 'own');
    await keepFor({});
    const second = await playJob('shared');
    await holdJob(store, second.jobId, { actor, reason: 'a case', isReleased: false });
    await keepFor({ filesDays: 30 });
    await ageBlobs();
    await run();
    expect(await stored()).toContain('shared');
    expect(await stored()).not.toContain('own');
    expect(await removals(first.jobId)).toHaveLength(1);
    await holdJob(store, second.jobId, { actor, reason: 'closed', isReleased: true });
    await run();
    expect(await stored()).not.toContain('shared');
    expect((await verifyFiles(pool)).problems).toEqual([]);
  });

  it('releases a job whose files are all needed elsewhere once, and removes them with the last job', async () => {
    const jobs = [await playJob('shared'), await playJob('shared')];
    // Both jobs store the same archive and summary only if they run at the same time, so what differs is made shared here.
    await owner.query(`INSERT INTO phaseline.file_references (hash, correlation_id, of_event)
      SELECT hash, 'another', false FROM phaseline.blobs WHERE content <> 'shared'`);
    await ageBlobs();
    const [first, second] = jobs.map(({ jobId }) => jobId);
    await holdJob(store, second!, { actor, reason: 'a case', isReleased: false });
    const released = { jobId: first, outcome: { kind: 'released', neededElsewhere: expect.any(Number) } };
    const held = { jobId: second, outcome: { kind: 'kept', reason: 'held' } };
    expect(await run({ dryRun: true })).toMatchObject([released, held]);
    expect(await run()).toMatchObject([released, held]);
    expect((await removals(first!)).map(({ data }) => data)).toMatchObject([{ hashes: [], hasMore: false }]);
    expect(await run()).toMatchObject([held]);
    await holdJob(store, second!, { actor, reason: 'closed', isReleased: true });
    expect(await run()).toMatchObject([{ jobId: second, outcome: { kind: 'removed', files: 1 } }]);
    expect(await stored()).not.toContain('shared');
    expect(await run()).toEqual([]);
  });

  it('costs as many statements among 2,000 ended jobs as among 200', async () => {
    expect(await countStatements(200)).toEqual({ ...(await countStatements(1_800)), jobs: 10 });
  }, 120_000);

  it('finds a job again that ended again after a retry, and none that runs', async () => {
    const [jobId] = await endJobs(1);
    await run({ now: new Date(), dryRun: true });
    expect(await candidates()).toEqual([jobId]);
    const job = await new JobRepository(store).loadJob(jobId!);
    const retried: JobEvent = { type: 'JobRetried', data: { actor: 'ada', reason: 'again' } };
    await store.append(buildJobAppend(jobId!, job!.version, [retried], { actor }));
    await run({ now: new Date(), dryRun: true });
    expect(await candidates()).toEqual([]);
    await store.append(buildJobAppend(jobId!, job!.version + 1, [failed], { actor }));
    await run({ now: new Date(), dryRun: true });
    expect(await candidates()).toEqual([jobId]);
  });

  it('removes nothing of a job on hold', async () => {
    const { jobId } = await playJob('evidence');
    await ageBlobs();
    expect(await holdJob(store, jobId, { actor, reason: 'a case', isReleased: false })).toBe('recorded');
    expect(await holdJob(store, jobId, { actor, reason: 'again', isReleased: false })).toBe('nothing-to-do');
    expect(await run()).toMatchObject([{ jobId, outcome: { kind: 'kept', reason: 'held' } }]);
    expect(await stored()).toContain('evidence');
    expect(await removals(jobId)).toEqual([]);
  });

  it('names more files than one event may in several events, and continues after a crash between them', async () => {
    const { jobId } = await playJob('one', 'two', 'three', 'four');
    await ageBlobs();
    await readReferences();
    const stop = new AbortController();
    const crashing = new EventStore(pool);
    const append = crashing.appendWithin.bind(crashing);
    crashing.appendWithin = async (...parameters: Parameters<typeof append>) => {
      if ((await removals(jobId)).length === 1) throw new Error('crashed');
      return append(...parameters);
    };
    const crashed = new Retention(crashing, pool).run({
      ...{ actor, now: IN_31_DAYS(), hashesPerEvent: 2, signal: stop.signal },
    });
    const runToEnd = async (): Promise<void> => {
      for await (const _ of crashed) continue;
    };
    await expect(runToEnd()).rejects.toThrow('crashed');
    expect(await removals(jobId)).toHaveLength(1);
    await run({ hashesPerEvent: 2 });
    const hashes = (await removals(jobId)).flatMap(({ data }) => data['hashes'] as string[]);
    expect(hashes.length).toBeGreaterThan(4);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(await store.blobs.has(hashes)).toEqual(new Set());
  });

  it('removes once when several runs work at the same time', async () => {
    const jobs = await Promise.all([playJob('a1', 'a2'), playJob('b1', 'b2')]);
    await ageBlobs();
    const results = (await Promise.all([run(), run(), run()])).flat();
    for (const { jobId } of jobs) {
      expect(await removals(jobId)).toHaveLength(1);
      expect(results.filter((result) => result.jobId === jobId && result.outcome.kind === 'removed').length).toBe(1);
    }
  });

  it('keeps content that was stored again within the grace time', async () => {
    const { jobId } = await playJob('again', 'gone');
    await ageBlobs();
    await store.blobs.put(Buffer.from('again'));
    await run();
    expect(await stored()).toContain('again');
    expect(await stored()).not.toContain('gone');
    expect((await removals(jobId)).map(({ data }) => data['hasMore'])).toEqual([true]);
    expect(await run()).toMatchObject([{ jobId, outcome: { kind: 'kept', reason: 'recently-stored' } }]);
    expect(await removals(jobId)).toHaveLength(1);
    await ageBlobs();
    expect(await run()).toMatchObject([{ jobId, outcome: { kind: 'removed', files: 1 } }]);
    expect(await stored()).not.toContain('again');
    expect(await run()).toEqual([]);
  });

  it('keeps the files of a parent until its forks are removed, and refuses forks and retries afterwards', async () => {
    const { jobId, engine } = await playJob('forked');
    const travel = new TimeTravel(store, pool);
    const sender: Sender = {
      send: async (queue, payload) =>
        void engine.messages.push({ queue, payload, id: messageSpecs[queue].id(payload) } as never),
    };
    const forks = new Forks({ store, repository: engine.repository, travel, sender, clock: { now: () => new Date() } });
    const events = await store.readCorrelation(jobId);
    const position = events.findLast(({ type }) => type === 'PhaseStarted')!.position;
    const options = { position, mode: 'recorded', actorId: 'ada' } as const;
    const fork = await forks.fork(jobId, options, { actor });
    await ageBlobs();
    expect(await run()).toMatchObject([{ jobId, outcome: { kind: 'kept', reason: 'forked' } }]);
    await engine.run(fork!.jobId);
    await ageBlobs();
    expect([...(await run()), ...(await run())]).toMatchObject([
      { jobId, outcome: { kind: 'kept', reason: 'forked' } },
      { jobId: fork!.jobId, outcome: { kind: 'released' } },
      { jobId, outcome: { kind: 'removed' } },
    ]);
    expect(await stored()).not.toContain('forked');
    await expect(forks.fork(jobId, { ...options, idempotencyKey: 'later' }, { actor })).rejects.toThrow(
      'removed by retention',
    );
  });

  it('removes vectors before the files, with an event, and once', async () => {
    const { jobId } = await playJob('alpha');
    const other = await playJob('beta');
    await index(jobId, 'alpha');
    await index(jobId, 'of both');
    await index(other.jobId, 'of both');
    await holdJob(store, other.jobId, { actor, reason: 'a case', isReleased: false });
    await keepFor({ vectorsDays: 7 });
    expect(await run({ now: new Date() })).toEqual([]);
    const expected = [
      { jobId, outcome: { kind: 'vectors-removed', vectorFiles: 2 } },
      { jobId: other.jobId, outcome: { kind: 'kept', reason: 'held' } },
    ];
    expect(await run({ dryRun: true })).toMatchObject(expected);
    expect(await countEmbeddings()).toBe(2);
    expect(await run()).toMatchObject(expected);
    const events = await store.readCorrelation(jobId, { types: ['VectorsRemoved'] });
    expect(events.map(({ data }) => data)).toMatchObject([{ actor: 'retention', vectorFiles: 2, afterDays: 7 }]);
    expect(await verifyFiles(pool)).toMatchObject({
      vectorsRemovedByRetention: 1,
      removedByRetention: 0,
      problems: [],
    });
    // The embedding that the other job uses is kept.
    expect(await countEmbeddings()).toBe(1);
    expect(await stored()).toContain('alpha');
    await holdJob(store, other.jobId, { actor, reason: 'closed', isReleased: true });
    expect(await run()).toMatchObject([{ jobId: other.jobId, outcome: { kind: 'vectors-removed', vectorFiles: 1 } }]);
    expect(await countEmbeddings()).toBe(0);
    expect(await run()).toEqual([]);
  });

  it('removes vectors with the files, and embeddings too', async () => {
    const { jobId } = await playJob('alpha');
    await index(jobId, 'alpha');
    await ageBlobs();
    await run();
    expect((await removals(jobId))[0]?.data).toMatchObject({ vectorFiles: 1 });
    expect(await countEmbeddings()).toBe(0);
  });

  it('works for the given tenants only', async () => {
    const { jobId } = await playJob('alpha');
    await ageBlobs();
    expect(await run({ tenants: ['other'] })).toEqual([]);
    expect(await run({ tenants: ['other', 'default'] })).toMatchObject([{ jobId, outcome: { kind: 'removed' } }]);
  });

  it('cannot remove anything without its event', async () => {
    const { jobId } = await playJob('safe');
    await ageBlobs();
    await expect(pool.query(`SELECT phaseline.remove_files($1, '2 hours')`, [jobId])).rejects.toThrow(
      'in the transaction of an event FilesRemoved',
    );
    await expect(pool.query('SELECT phaseline.remove_vectors($1)', [jobId])).rejects.toThrow(
      'in the transaction of an event VectorsRemoved',
    );
    await expect(pool.query('DELETE FROM phaseline.blobs')).rejects.toThrow();
    await expect(owner.query('DELETE FROM phaseline.blobs')).rejects.toThrow('append-only');
  });
});
