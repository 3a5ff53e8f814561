import { randomUUID } from 'node:crypto';
import { jobStream, phaseStream, getSchemaVersion, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import { createPool, EventStore, type RecordedEvent, type Subscription } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldJobView } from '../jobs/evolve-job-view.js';
import {
  buildToolCallCompleted,
  decideFirstPhase,
  buildJobSubmitted,
  buildToolCallRequested,
  buildModelResponded,
  buildTodoCompleted,
} from '../jobs/job-log.fixture.js';
import type { JobPlace } from '../jobs/job-filter.js';
import { JOB_COLUMNS, rowToView, type JobRow } from '../jobs/job-rows.js';
import { JobViews } from '../jobs/job-views.js';
import { foldBehindJobs } from '../behind/fold-behind-jobs.js';
import { checkReadModels } from '../check/check.js';
import { rebuildReadModels } from '../rebuild/rebuild.js';
import { runInTransaction, withUtcSession } from '../rebuild/session.js';
import { readProjectionLag } from '../status/projection-status.js';
import { projectEvents } from './project-events.js';
import { createReadModelsProjection } from './read-models-projection.js';

let database: TestDatabase;
let pool: pg.Pool;
let store: EventStore;
let views: JobViews;
const running: Subscription[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 20 });
  store = new EventStore(pool);
  views = new JobViews(pool, store);
});
afterEach(async () => {
  for (const subscription of running.splice(0)) await subscription.close();
  await store.close();
  await pool.end();
  await database.drop();
});

function append(streamId: string, jobId: string, ...events: readonly (JobEvent | PhaseEvent)[]): Promise<unknown> {
  return store.append({
    streamId,
    correlationId: jobId,
    expectedVersion: 'any',
    events: events.map(({ type, data }) => ({
      eventId: randomUUID(),
      type,
      schemaVersion: getSchemaVersion(type),
      data: data as never,
      metadata: {},
    })),
  });
}

/** Applies events in a transaction, as the subscription does. */
function project(events: readonly RecordedEvent[]): Promise<void> {
  return withUtcSession(pool, (client) => runInTransaction(client, 'BEGIN', () => projectEvents(client, events)));
}

/** Appends an event with the shape of a newer release. */
function appendNewerEvent(jobId: string, type: string): Promise<unknown> {
  const event = { eventId: randomUUID(), type, schemaVersion: 99, data: { what: 'nobody here knows' }, metadata: {} };
  return store.append({ streamId: jobStream(jobId), correlationId: jobId, expectedVersion: 'any', events: [event] });
}

async function submit(changes: Parameters<typeof buildJobSubmitted>[1] = {}): Promise<string> {
  const jobId = randomUUID();
  await append(jobStream(jobId), jobId, buildJobSubmitted(jobId, changes));
  return jobId;
}

/** Runs one job from its submission to one of several ends, in many small appends. */
async function runJob(jobId: string, steps: number): Promise<void> {
  const submitted = buildJobSubmitted(jobId, { labels: { number: String(steps) } });
  await append(jobStream(jobId), jobId, submitted);
  const { dispatched, started } = decideFirstPhase(submitted);
  await append(jobStream(jobId), jobId, dispatched);
  await append(phaseStream(jobId, 1), jobId, started);
  for (let step = 1; step <= steps; step += 1) {
    const call = `call-${step}`;
    await append(phaseStream(jobId, 1), jobId, buildModelResponded(step, [call]), buildToolCallRequested(call));
    await append(phaseStream(jobId, 1), jobId, buildToolCallCompleted(call));
  }
  await append(phaseStream(jobId, 1), jobId, buildTodoCompleted(1));
  if (steps % 3 === 0)
    await append(jobStream(jobId), jobId, { type: 'JobCancelRequested', data: { actor: 'a', reason: 'enough' } });
  if (steps % 3 === 1) await append(jobStream(jobId), jobId, { type: 'JobFailed', data: { code: 'c', message: 'm' } });
}

async function startProjection(options: Parameters<typeof createReadModelsProjection>[1] = {}): Promise<Subscription> {
  const subscription = createReadModelsProjection(pool, { pollMs: 5, ...options });
  running.push(subscription);
  await subscription.start();
  return subscription;
}

/** Waits until no event is left beyond the checkpoints, regardless of which replica owns the partitions. */
async function waitUntilCaughtUp(): Promise<void> {
  await expect.poll(async () => (await readProjectionLag(pool)).lagEvents, { interval: 20, timeout: 20_000 }).toBe(0);
}

async function expectRowsOf(jobIds: readonly string[]): Promise<void> {
  const { rows } = await pool.query<JobRow>(`SELECT ${JOB_COLUMNS} FROM phaseline.jobs`);
  const byId = new Map(rows.map((row) => [row.job_id, rowToView(row)]));
  expect([...byId.keys()].sort()).toEqual([...jobIds].sort());
  for (const jobId of jobIds) expect(byId.get(jobId)).toEqual(foldJobView(await store.readCorrelation(jobId)));
}

describe('the table of jobs', () => {
  it('equals the fold of the log with concurrent appends and several replicas', async () => {
    await Promise.all([startProjection(), startProjection()]);
    const jobIds = Array.from({ length: 24 }, () => randomUUID());
    await Promise.all(jobIds.map((jobId, index) => runJob(jobId, index % 7)));
    await waitUntilCaughtUp();
    await expectRowsOf(jobIds);
  });

  it('counts every event once when a transaction fails after its rows were written', async () => {
    const jobIds = Array.from({ length: 6 }, () => randomUUID());
    await Promise.all(jobIds.map((jobId) => runJob(jobId, 5)));
    const owner = createPool(database.ownerUrl);
    // The checkpoint cannot be written for a while, so rows written with it must be rolled back.
    await owner.query('ALTER TABLE phaseline.subscriptions ADD CONSTRAINT stuck CHECK (position = 0)');
    const failures: Error[] = [];
    await startProjection({ onError: (error) => failures.push(error) });
    await expect.poll(() => failures.length, { timeout: 10_000 }).toBeGreaterThan(2);
    expect((await views.list({ limit: 10 })).jobs).toEqual([]);
    await owner.query('ALTER TABLE phaseline.subscriptions DROP CONSTRAINT stuck');
    await owner.end();
    await waitUntilCaughtUp();
    await expectRowsOf(jobIds);
  });

  it('is not changed by a page that was already applied', async () => {
    const jobIds = [randomUUID(), randomUUID()];
    for (const jobId of jobIds) await runJob(jobId, 4);
    const events = (await Promise.all(jobIds.map((jobId) => store.readCorrelation(jobId))))
      .flat()
      .sort((a, b) => a.position - b.position);
    await project(events);
    await project(events);
    await project(events.slice(3));
    await expectRowsOf(jobIds);
  });

  it('keeps every other job up to date when one cannot be read, even in the same partition', async () => {
    const good = Array.from({ length: 16 }, () => randomUUID());
    const broken = await submit();
    await store.append({
      streamId: jobStream(broken),
      correlationId: broken,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type: 'JobFailed', schemaVersion: 1, data: { code: 7 }, metadata: {} }],
    });
    await Promise.all(good.map((jobId) => runJob(jobId, 1)));
    const failures: Error[] = [];
    await startProjection({ onError: (error) => failures.push(error) });
    await waitUntilCaughtUp();
    expect(failures).toEqual([]);
    const { jobs } = await views.list({ limit: 50 });
    expect(jobs.map(({ jobId }) => jobId).sort()).toEqual([...good, broken].sort());
    expect(jobs.find(({ jobId }) => jobId === broken)).toMatchObject({
      status: 'submitted',
      unreadable: expect.stringMatching(/event 2 of stream job-.* cannot be read: code/),
    });
    // A release that can read the event would fold the job again; this one cannot, and checks again without writing.
    expect(await foldBehindJobs(pool)).toBe(0);
  });

  it('keeps every other job up to date when one has an event of a newer release, and leaves that one as it was before', async () => {
    const good = Array.from({ length: 16 }, () => randomUUID());
    const [newerJob, unborn] = [await submit({ labels: { a: 'b' } }), randomUUID()];
    const before = foldJobView(await store.readCorrelation(newerJob));
    await appendNewerEvent(newerJob, 'JobPaused');
    await appendNewerEvent(unborn, 'JobSubmitted');
    await append(jobStream(newerJob), newerJob, { type: 'JobCancelRequested', data: { actor: 'a', reason: 'r' } });
    const failures: Error[] = [];
    await startProjection({ onError: (error) => failures.push(error) });
    await Promise.all(good.map((jobId) => runJob(jobId, 1)));
    await append(jobStream(newerJob), newerJob, { type: 'JobFailed', data: { code: 'c', message: 'm' } });
    await waitUntilCaughtUp();
    expect(failures).toEqual([]);
    const { jobs } = await views.list({ limit: 50 });
    expect(jobs.map(({ jobId }) => jobId).sort()).toEqual([...good, newerJob].sort());
    expect(jobs.find(({ jobId }) => jobId === newerJob)).toEqual(before);
    await expect(views.get(newerJob)).rejects.toMatchObject({ code: 'undecodable_event', isNewer: true });
    const behind = [
      { jobId: newerJob, type: 'JobPaused', schemaVersion: 99 },
      { jobId: unborn, type: 'JobSubmitted', schemaVersion: 99 },
    ];
    const report = await checkReadModels(pool);
    expect(report.passed).toBe(false);
    expect(report.behindJobs).toHaveLength(2);
    expect(report.behindJobs).toEqual(
      expect.arrayContaining(behind.map((job) => expect.objectContaining(job) as object)),
    );
    expect(report.projections.every(({ differenceCount }) => differenceCount === 0)).toBe(true);
    // A rebuild by a release that does not understand the event either has the same result, and there is nothing it
    // could fold.
    await rebuildReadModels(pool);
    expect(await foldBehindJobs(pool)).toBe(0);
    expect(await checkReadModels(pool)).toMatchObject({ behindJobs: report.behindJobs, jobs: report.jobs });
  });

  it('has rows of the whole log again once a release understands what an older one did not', async () => {
    const jobIds = [await submit(), await submit()];
    const [behindJob] = jobIds as [string, string];
    await append(jobStream(behindJob), behindJob, {
      type: 'JobPaused',
      data: { actor: 'a', reason: 'r', pausedAt: '2030-01-01T00:00:00.000Z' },
    });
    // Creates the state that an older release, which did not know this event, would have left.
    const { position } = (await store.readAt(jobStream(behindJob), 2))!;
    const note =
      'INSERT INTO phaseline.read_models_behind (job_id, position, type, schema_version) VALUES ($1, $2, $3, 1)';
    await pool.query(note, [behindJob, position, 'JobPaused']);
    await startProjection();
    await append(jobStream(behindJob), behindJob, { type: 'JobCancelRequested', data: { actor: 'a', reason: 'r' } });
    await waitUntilCaughtUp();
    expect((await views.list({ limit: 9 })).jobs.find(({ jobId }) => jobId === behindJob)?.status).toBe('submitted');
    expect(await checkReadModels(pool)).toMatchObject({ passed: false, behindJobs: [{ jobId: behindJob, position }] });
    expect(await foldBehindJobs(pool)).toBe(1);
    await expectRowsOf(jobIds);
    expect(await checkReadModels(pool)).toMatchObject({ passed: true, behindJobs: [] });
    await append(jobStream(behindJob), behindJob, { type: 'JobFailed', data: { code: 'c', message: 'm' } });
    await waitUntilCaughtUp();
    await expectRowsOf(jobIds);
    // A complete rebuild folds them as well.
    await pool.query(note, [behindJob, position, 'JobPaused']);
    await rebuildReadModels(pool);
    expect(await checkReadModels(pool)).toMatchObject({ passed: true, behindJobs: [] });
  });

  it('shows the running tool to SQL clients', async () => {
    const jobId = randomUUID();
    const submitted = buildJobSubmitted(jobId);
    const { dispatched, started } = decideFirstPhase(submitted);
    await append(jobStream(jobId), jobId, submitted, dispatched);
    await append(phaseStream(jobId, 1), jobId, started, buildToolCallRequested('a', 'fetch'));
    await project(await store.readCorrelation(jobId));
    expect((await pool.query('SELECT current_tool FROM phaseline.jobs')).rows).toEqual([{ current_tool: 'fetch' }]);
  });
});

describe('one job', () => {
  it('is found as soon as its submission is recorded, even without a row', async () => {
    const jobId = await submit({ labels: { a: 'b' } });
    expect(await views.get(jobId)).toMatchObject({ jobId, status: 'submitted', labels: { a: 'b' } });
    expect(await views.get(randomUUID())).toBeUndefined();
  });

  it('includes events after its row', async () => {
    const jobId = await submit();
    await project(await store.readCorrelation(jobId));
    await append(jobStream(jobId), jobId, { type: 'JobCancelRequested', data: { actor: 'a', reason: 'r' } });
    expect((await views.list({ limit: 1 })).jobs[0]?.status).toBe('submitted');
    const view = await views.get(jobId);
    expect(view?.status).toBe('cancelling');
    expect(view).toEqual(foldJobView(await store.readCorrelation(jobId)));
  });
});

describe('a list of jobs', () => {
  let jobIds: string[];
  beforeEach(async () => {
    jobIds = [];
    for (let number = 0; number < 12; number += 1) {
      jobIds.push(
        await submit({
          agent: number % 2 === 0 ? 'even' : 'odd',
          labels: { third: String(number % 3), ...(number === 5 ? { rare: '' } : {}) },
        }),
      );
    }
    await append(jobStream(jobIds[3]!), jobIds[3]!, { type: 'JobFailed', data: { code: 'c', message: 'm' } });
    const events: RecordedEvent[] = (await Promise.all(jobIds.map((jobId) => store.readCorrelation(jobId)))).flat();
    await project(events.sort((a, b) => a.position - b.position));
  });

  const numbers = async (filter: Omit<Parameters<JobViews['list']>[0], 'limit'>): Promise<number[]> =>
    (await views.list({ limit: 50, ...filter })).jobs.map(({ jobId }) => jobIds.indexOf(jobId));

  it('starts with the newest', async () => {
    expect(await numbers({})).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('has pages that neither repeat nor skip jobs while jobs are added', async () => {
    const seen: string[] = [];
    let after: JobPlace | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await views.list({ limit: 5, after });
      seen.push(...page.jobs.map(({ jobId }) => jobId));
      const added = await submit();
      await project(await store.readCorrelation(added));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(seen).toEqual([...jobIds].reverse());
  });

  it('has no next page when a page ends with the last job', async () => {
    expect((await views.list({ limit: 12 })).next).toBeUndefined();
    expect((await views.list({ limit: 11 })).next).toBeDefined();
  });

  it('contains only jobs that match every filter', async () => {
    expect(await numbers({ agents: ['odd'] })).toEqual([11, 9, 7, 5, 3, 1]);
    expect(await numbers({ statuses: ['failed', 'completed'] })).toEqual([3]);
    expect(await numbers({ labels: [{ key: 'third', value: '2' }] })).toEqual([11, 8, 5, 2]);
    expect(await numbers({ labels: [{ key: 'rare' }] })).toEqual([5]);
    expect(await numbers({ labels: [{ key: 'rare', value: 'x' }] })).toEqual([]);
    expect(await numbers({ agents: ['odd'], labels: [{ key: 'third', value: '2' }], statuses: ['submitted'] })).toEqual(
      [11, 5],
    );
    expect(await numbers({ agents: ["o'dd; DROP TABLE phaseline.jobs"] })).toEqual([]);
  });

  it('is counted by status', async () => {
    expect(Object.fromEntries(await views.count(['submitted', 'failed', 'running']))).toEqual({
      submitted: 11,
      failed: 1,
      running: 0,
    });
  });
});
