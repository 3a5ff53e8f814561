import { randomUUID } from 'node:crypto';
import {
  checkReadModels,
  projectionLag,
  readModelNames,
  rebuildReadModels,
  RebuildUnderWay,
  REVISION,
} from '@phaseline/projections';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProjectionsForSpecs } from './projections-for-specs.js';

let setup: ProjectionsForSpecs;
beforeEach(async () => {
  setup = await ProjectionsForSpecs.open();
});
afterEach(() => setup.close());

const versions = async (): Promise<string[]> =>
  (
    await setup.pool.query<{ text: string }>(
      `SELECT format('%s %s %s', name, version, state) AS text FROM phaseline.read_models WHERE state <> 'dropped' ORDER BY name, version`,
    )
  ).rows.map(({ text }) => text);
const tablesInDatabase = async (): Promise<string[]> =>
  (
    await setup.owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'phaseline'::regnamespace AND relkind = 'r' AND relname ~ '_v[0-9]+$'`,
    )
  ).rows
    .map(({ name }) => name)
    .sort();

describe('a rebuild', () => {
  it('makes the same bytes as the live tail, and leaves one version of each', async () => {
    await setup.generate(2_500);
    await setup.tail();
    await setup.caughtUp();
    const live = await setup.tables();
    expect(Math.min(...Object.values(live).map((rows) => rows.length))).toBeGreaterThan(10);
    const report = await rebuildReadModels(setup.pool);
    expect(report.versions).toEqual(Object.fromEntries(readModelNames.map((name) => [name, 2])));
    expect(await setup.tables()).toEqual(live);
    expect(await versions()).toEqual([...readModelNames].sort().map((name) => `${name} 2 active`));
    expect(await tablesInDatabase()).toEqual([...readModelNames].sort().map((name) => `${name}_v2`));
  });

  it('goes on beside a system at work: nothing is lost or counted twice by the switch', async () => {
    await setup.generate(900);
    await setup.tail();
    let working = true;
    let reads = 0;
    const work = Promise.all(
      [11, 12, 13, 14].map(async (seed) => {
        for (let job = 0; working; job += 1) {
          const script = setup.scriptedJob(seed * 1_000 + job);
          while (working && (await script.next())) await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }),
    );
    const readers = (async () => {
      // A reader never finds the tables empty, or gone.
      while (working) {
        const { rows } = await setup.pool.query<{ jobs: string }>('SELECT count(*) AS jobs FROM phaseline.jobs');
        if (reads > 0) expect(Number(rows[0]!.jobs)).toBeGreaterThan(0);
        if (Number(rows[0]!.jobs) > 0) reads += 1;
      }
    })();
    await expect.poll(() => reads).toBeGreaterThan(0);
    await rebuildReadModels(setup.pool);
    await rebuildReadModels(setup.pool, { names: ['jobs', 'costs'] });
    working = false;
    await Promise.all([work, readers]);
    await setup.caughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ holds: true });
  });

  it('of some names leaves the others alone', async () => {
    await setup.generate(400);
    await setup.tail();
    await setup.caughtUp();
    const before = await setup.tables();
    await rebuildReadModels(setup.pool, { names: ['phases'] });
    expect((await versions()).filter((text) => text.endsWith(' 2 active'))).toEqual(['phases 2 active']);
    expect(await setup.tables()).toEqual(before);
  });

  it('does where nobody has followed the log yet, and the tail then goes on behind it', async () => {
    await setup.generate(700);
    // Transactions of other databases of the server may bar the gate for a moment.
    await expect
      .poll(async () => {
        await rebuildReadModels(setup.pool);
        return (await projectionLag(setup.pool)).events;
      })
      .toBe(0);
    expect((await checkReadModels(setup.pool)).events).toBeGreaterThan(300);
    const rebuilt = await setup.tables();
    expect(rebuilt.jobs.length).toBeGreaterThan(3);
    const seen: string[] = [];
    await setup.tail({ onError: (error) => seen.push(error.message) });
    await setup.generate(400, 2);
    await setup.caughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ holds: true });
    expect((await setup.tables()).jobs.length).toBeGreaterThan(rebuilt.jobs.length);
    expect(seen).toEqual([]);
  });

  it('takes partitions that it moved from a tail that was behind', async () => {
    await setup.generate(900);
    // Stuck at the start: the rows cannot be written, while the lease is kept.
    await setup.owner.query('REVOKE INSERT, UPDATE ON phaseline.jobs_v1 FROM phaseline_service');
    await setup.tail();
    await rebuildReadModels(setup.pool);
    await setup.caughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ holds: true });
  });

  it.each([
    ['a tail that follows', true],
    ['no tail yet, so that it moves the checkpoints', false],
  ])('skips nothing of a transaction that is open while later ones commit, with %s', async (_, followed) => {
    if (followed) await setup.tail();
    const jobs = [setup.scriptedJob(1), setup.scriptedJob(2)];
    for (const job of jobs) await job.next();
    const client = await setup.pool.connect();
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
    const status = async (): Promise<unknown[]> =>
      (await setup.pool.query('SELECT status FROM phaseline.jobs WHERE job_id = $1', [jobs[0]!.jobId])).rows;
    expect(await status()).toEqual([{ status: 'submitted' }]);
    await client.query('COMMIT');
    client.release();
    if (!followed) await setup.tail();
    await expect.poll(status).toEqual([{ status: 'failed' }]);
    await setup.caughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ holds: true });
  });

  it('clears what one that was cut off has left, and is not stopped by it', async () => {
    await setup.generate(300);
    await setup.pool.query('SELECT phaseline.create_read_model($1, $2)', ['jobs', REVISION]);
    await setup.pool.query('SELECT phaseline.create_read_model($1, $2)', ['costs', REVISION]);
    const { cleared } = await rebuildReadModels(setup.pool, { names: ['jobs'] });
    expect(cleared).toEqual(['costs v2', 'jobs v2']);
    expect(await tablesInDatabase()).toEqual(['costs_v1', 'jobs_v3', 'phases_v1', 'queue_depth_v1', 'tool_calls_v1']);
  });

  it('that fails in the middle leaves everything as it was', async () => {
    await setup.generate(700);
    await setup.tail();
    await setup.caughtUp();
    const before = await setup.tables();
    const given = new AbortController();
    const stopped = rebuildReadModels(setup.pool, {
      signal: given.signal,
      onProgress: () => given.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(await setup.tables()).toEqual(before);
    expect(await tablesInDatabase()).toEqual([...readModelNames].sort().map((name) => `${name}_v1`));
    expect((await rebuildReadModels(setup.pool)).cleared).toEqual([]);
  });

  it('is refused while another one is under way, which goes on', async () => {
    await setup.generate(300);
    let refused: unknown;
    const first = rebuildReadModels(setup.pool, {
      onProgress: () => {
        refused ??= rebuildReadModels(setup.pool).catch((error: unknown) => error);
      },
    });
    await first;
    expect(await refused).toBeInstanceOf(RebuildUnderWay);
    expect(String(await refused)).toMatch(/a rebuild of .*jobs v2.* is already running \(started 2/);
    expect(await rebuildReadModels(setup.pool, { names: ['jobs'] })).toMatchObject({ versions: { jobs: 3 } });
  });

  it('builds all of them where they are those of an older release', async () => {
    await setup.generate(300);
    await setup.owner.query('UPDATE phaseline.read_models SET revision = 0');
    const failures: string[] = [];
    await setup.tail({ onError: (error) => failures.push((error as { code?: string }).code ?? '') });
    await expect.poll(() => failures).toContain('READ_MODELS_BEHIND');
    const report = await rebuildReadModels(setup.pool, { names: ['costs'] });
    expect(Object.keys(report.versions).sort()).toEqual([...readModelNames].sort());
    await setup.caughtUp();
    expect(await checkReadModels(setup.pool)).toMatchObject({ holds: true });
  });

  it('of a newer release is not written to by this one', async () => {
    await setup.generate(300);
    await setup.owner.query(`UPDATE phaseline.read_models SET revision = ${REVISION + 1} WHERE name = 'costs'`);
    const failures: string[] = [];
    await setup.tail({ onError: (error) => failures.push((error as { code?: string }).code ?? '') });
    await expect.poll(() => failures).toContain('READ_MODELS_AHEAD');
    expect((await setup.tables()).jobs).toEqual([]);
  });
});
