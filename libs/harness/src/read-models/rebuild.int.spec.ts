import { randomUUID } from 'node:crypto';
import {
  checkReadModels,
  readProjectionLag,
  readModelNames,
  rebuildReadModels,
  RebuildRunning,
  REVISION,
} from '@phaseline/projections';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectionsFixture } from './projections.fixture.js';

let setup: ProjectionsFixture;
beforeEach(async () => {
  setup = await ProjectionsFixture.open();
});
afterEach(() => setup.close());

const readVersions = async (): Promise<string[]> =>
  (
    await setup.pool.query<{ text: string }>(
      `SELECT format('%s %s %s', name, version, state) AS text FROM phaseline.read_models WHERE state <> 'dropped' ORDER BY name, version`,
    )
  ).rows.map(({ text }) => text);
const listTables = async (): Promise<string[]> =>
  (
    await setup.owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'phaseline'::regnamespace AND relkind = 'r' AND relname ~ '_v[0-9]+$'`,
    )
  ).rows
    .map(({ name }) => name)
    .sort();

describe('a rebuild', () => {
  it('produces the same rows as the live tail and leaves one version of each table', async () => {
    await setup.generateJobs(2_500);
    await setup.startTail();
    await setup.waitUntilCaughtUp();
    const live = await setup.readTables();
    expect(Math.min(...Object.values(live).map((rows) => rows.length))).toBeGreaterThan(10);
    const report = await rebuildReadModels(setup.pool);
    expect(report.versions).toEqual(Object.fromEntries(readModelNames.map((name) => [name, 2])));
    expect(await setup.readTables()).toEqual(live);
    expect(await readVersions()).toEqual([...readModelNames].sort().map((name) => `${name} 2 active`));
    expect(await listTables()).toEqual([...readModelNames].sort().map((name) => `${name}_v2`));
  });

  it('runs while jobs are running, and the switch loses nothing and counts nothing twice', async () => {
    await setup.generateJobs(900);
    await setup.startTail();
    let isWorking = true;
    let reads = 0;
    const work = Promise.all(
      [11, 12, 13, 14].map(async (seed) => {
        for (let job = 0; isWorking; job += 1) {
          const script = setup.createScriptedJob(seed * 1_000 + job);
          while (isWorking && (await script.next())) await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }),
    );
    const readers = (async () => {
      // A reader never finds the tables empty or missing.
      while (isWorking) {
        const { rows } = await setup.pool.query<{ jobs: string }>('SELECT count(*) AS jobs FROM phaseline.jobs');
        if (reads > 0) expect(Number(rows[0]!.jobs)).toBeGreaterThan(0);
        if (Number(rows[0]!.jobs) > 0) reads += 1;
      }
    })();
    await expect.poll(() => reads).toBeGreaterThan(0);
    await rebuildReadModels(setup.pool);
    await rebuildReadModels(setup.pool, { names: ['jobs', 'costs'] });
    isWorking = false;
    await Promise.all([work, readers]);
    await setup.waitUntilCaughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it('of selected read models leaves the others unchanged', async () => {
    await setup.generateJobs(400);
    await setup.startTail();
    await setup.waitUntilCaughtUp();
    const before = await setup.readTables();
    await rebuildReadModels(setup.pool, { names: ['phases'] });
    expect((await readVersions()).filter((text) => text.endsWith(' 2 active'))).toEqual(['phases 2 active']);
    expect(await setup.readTables()).toEqual(before);
  });

  it('works before any tail has read the log, and the tail continues after it', async () => {
    await setup.generateJobs(700);
    // Transactions in other databases of the server may delay the horizon for a moment.
    await expect
      .poll(async () => {
        await rebuildReadModels(setup.pool);
        return (await readProjectionLag(setup.pool)).lagEvents;
      })
      .toBe(0);
    expect((await checkReadModels(setup.pool)).events).toBeGreaterThan(300);
    const rebuilt = await setup.readTables();
    expect(rebuilt.jobs.length).toBeGreaterThan(3);
    const seen: string[] = [];
    await setup.startTail({ onError: (error) => seen.push(error.message) });
    await setup.generateJobs(400, 2);
    await setup.waitUntilCaughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
    expect((await setup.readTables()).jobs.length).toBeGreaterThan(rebuilt.jobs.length);
    expect(seen).toEqual([]);
  });

  it('takes over partitions from a tail that is behind', async () => {
    await setup.generateJobs(900);
    // The tail cannot write rows and stays at the start, while it keeps its lease.
    await setup.owner.query('REVOKE INSERT, UPDATE ON phaseline.jobs_v1 FROM phaseline_service');
    await setup.startTail();
    await rebuildReadModels(setup.pool);
    await setup.waitUntilCaughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it.each([
    ['a running tail', true],
    ['no tail, so that it moves the checkpoints itself', false],
  ])('does not skip a transaction that is still open when later ones commit, with %s', async (_, hasTail) => {
    if (hasTail) await setup.startTail();
    const jobs = [setup.createScriptedJob(1), setup.createScriptedJob(2)];
    for (const job of jobs) await job.next();
    await setup.waitForOlderTransactions();
    const status = async (): Promise<unknown[]> =>
      (await setup.pool.query('SELECT status FROM phaseline.jobs WHERE job_id = $1', [jobs[0]!.jobId])).rows;
    const client = await setup.pool.connect();
    try {
      await client.query('BEGIN');
      await setup.store.appendWithin(client, {
        streamId: `job-${jobs[0]!.jobId}`,
        correlationId: jobs[0]!.jobId,
        expectedVersion: 'any',
        events: [
          {
            eventId: randomUUID(),
            type: 'JobFailed',
            schemaVersion: 1,
            data: { code: 'slow', message: 'm' },
            metadata: {},
          },
        ],
      });
      for (let step = 0; step < 5; step += 1) await jobs[1]!.next();
      await rebuildReadModels(setup.pool);
      expect(await status()).toEqual([{ status: 'submitted' }]);
      await client.query('COMMIT');
    } finally {
      client.release(true);
    }
    if (!hasTail) await setup.startTail();
    await expect.poll(status).toEqual([{ status: 'failed' }]);
    await setup.waitUntilCaughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it('removes the tables of an interrupted rebuild', async () => {
    await setup.generateJobs(300);
    await setup.pool.query('SELECT phaseline.create_read_model($1, $2)', ['jobs', REVISION]);
    await setup.pool.query('SELECT phaseline.create_read_model($1, $2)', ['costs', REVISION]);
    const { droppedVersions } = await rebuildReadModels(setup.pool, { names: ['jobs'] });
    expect(droppedVersions).toEqual(['costs v2', 'jobs v2']);
    expect(await listTables()).toEqual([
      ...['costs_v1', 'decisions_v1', 'jobs_v3'],
      ...['pattern_decisions_v1', 'phases_v1', 'plans_v1'],
      ...['preference_questions_v1', 'queue_depth_v1', 'scheduled_tasks_v1', 'stage_assessments_v1', 'tool_calls_v1'],
    ]);
  });

  it('that fails halfway leaves everything unchanged', async () => {
    await setup.generateJobs(700);
    await setup.startTail();
    await setup.waitUntilCaughtUp();
    const before = await setup.readTables();
    const stopping = new AbortController();
    const stopped = rebuildReadModels(setup.pool, {
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(await setup.readTables()).toEqual(before);
    expect(await listTables()).toEqual([...readModelNames].sort().map((name) => `${name}_v1`));
    expect((await rebuildReadModels(setup.pool)).droppedVersions).toEqual([]);
  });

  it('is refused while another one is running, which continues', async () => {
    await setup.generateJobs(300);
    let refused: unknown;
    const first = rebuildReadModels(setup.pool, {
      onProgress: () => {
        refused ??= rebuildReadModels(setup.pool).catch((error: unknown) => error);
      },
    });
    await first;
    expect(await refused).toBeInstanceOf(RebuildRunning);
    expect(String(await refused)).toMatch(/a rebuild of .*jobs v2.* is already running \(started 2/);
    expect(await rebuildReadModels(setup.pool, { names: ['jobs'] })).toMatchObject({ versions: { jobs: 3 } });
  });

  it('builds all read models if they belong to an older release', async () => {
    await setup.generateJobs(300);
    await setup.owner.query('UPDATE phaseline.read_models SET revision = 0');
    const failures: string[] = [];
    await setup.startTail({ onError: (error) => failures.push((error as { code?: string }).code ?? '') });
    await expect.poll(() => failures).toContain('read_models_behind');
    const report = await rebuildReadModels(setup.pool, { names: ['costs'] });
    expect(Object.keys(report.versions).sort()).toEqual([...readModelNames].sort());
    await setup.waitUntilCaughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
  });

  it('of a newer release is not written to by this release', async () => {
    await setup.generateJobs(300);
    await setup.owner.query(`UPDATE phaseline.read_models SET revision = ${REVISION + 1} WHERE name = 'costs'`);
    const failures: string[] = [];
    await setup.startTail({ onError: (error) => failures.push((error as { code?: string }).code ?? '') });
    await expect.poll(() => failures).toContain('read_models_ahead');
    expect((await setup.readTables()).jobs).toEqual([]);
  });
});
