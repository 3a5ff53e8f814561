import { randomUUID } from 'node:crypto';
import { PhaselineClient, type BulkRequest, type JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

/** Submits jobs with a label of their own. Returns their ids and the filter, once they are listed. */
async function submitJobs(count: number) {
  const run = randomUUID();
  const jobIds: JobId[] = [];
  for (let number = 0; number < count; number += 1)
    jobIds.push((await client.submit({ agent: 'writer', labels: { run, number: String(number) } })).jobId);
  const filter = { labels: [`run=${run}`] };
  await expect.poll(async () => (await client.listPage({ ...filter, statuses: ['running'] })).items.length).toBe(count);
  return { jobIds, filter };
}

const countEvents = async (jobId: JobId, type: string): Promise<number> =>
  (await orchestrator.store.readCorrelation(jobId)).filter((event) => event.type === type).length;

describe('lists of jobs', () => {
  it('contain the tenant, what each job waits for, and since when', async () => {
    const { jobIds, filter } = await submitJobs(2);
    await client.control(jobIds[0]!, 'pause', {});
    await expect
      .poll(async () => (await client.listPage({ ...filter, waitsFor: ['person'] })).items.map(({ jobId }) => jobId))
      .toEqual([jobIds[0]]);
    const [paused] = (await client.listPage({ ...filter, waitsFor: ['pause'], waitingLongerThan: 0 })).items;
    expect(paused).toMatchObject({
      ...{ tenant: 'default', agent: 'writer', status: 'paused', labels: { number: '0' }, phase: { state: 'plan' } },
      waiting: { kind: 'pause', since: paused?.updatedAt },
    });
    expect((await client.listPage({ ...filter, waitsFor: ['person'], waitingLongerThan: 3_600 })).items).toEqual([]);
    expect((await client.get(jobIds[1]!)).waiting).toMatchObject({ kind: 'worker' });
    const byWait = await collect(client.list({ ...filter, sort: 'waiting', limit: 1 }));
    expect(byWait.map(({ jobId }) => jobId)).toEqual([jobIds[1], jobIds[0]]);
  });

  it('find text, and combine several labels', async () => {
    const { jobIds, filter } = await submitJobs(3);
    const idsOf = (items: readonly JobSummary[]) => items.map(({ jobId }) => jobId);
    expect(idsOf((await client.listPage({ ...filter, text: 'NUMBER=1' })).items)).toEqual([jobIds[1]]);
    expect(idsOf((await client.listPage({ ...filter, text: jobIds[2]!.slice(0, 30) })).items)).toContain(jobIds[2]);
    const both = { labels: [...filter.labels, 'number=2'] };
    expect(idsOf((await client.listPage(both)).items)).toEqual([jobIds[2]]);
    expect((await client.listPage({ ...filter, agents: ['nobody', 'reader'] })).items).toEqual([]);
    expect((await client.listPage({ ...filter, createdBefore: '2020-01-01T00:00:00Z' })).items).toEqual([]);
    expect(
      (await client.listPage({ ...filter, maxCostMicroUsd: 0, createdSince: '2020-01-01T00:00:00Z' })).items,
    ).toHaveLength(3);
  });

  it('refuse a cursor of another order, and values that cannot be read', async () => {
    const { filter } = await submitJobs(2);
    const { nextCursor } = await client.listPage({ ...filter, limit: 1 });
    for (const query of [
      `cursor=${nextCursor}&sort=cost`,
      'sort=odd',
      'waitsFor=odd',
      'createdSince=yesterday',
      'minCostMicroUsd=1.5',
      'text=',
    ])
      expect(await orchestrator.json(`/v1/jobs?${query}`), query).toMatchObject({ status: 400 });
    const second = await client.listPage({ ...filter, limit: 1, cursor: nextCursor });
    expect(second.items).toHaveLength(1);
  });

  it('are counted by status, agent, tenant and wait', async () => {
    await submitJobs(1);
    const jobs = await collect(client.list());
    await expect.poll(async () => (await client.countJobs()).agents).toEqual([{ value: 'writer', jobs: jobs.length }]);
    const facets = await client.countJobs();
    expect(facets.tenants).toEqual([{ value: 'default', jobs: jobs.length }]);
    expect(facets.statuses.find(({ value }) => value === 'running')!.jobs).toBeGreaterThan(0);
    expect(facets.waitsFor.map(({ value }) => value)).toContain('worker');
  });
});

describe('a request to many jobs', () => {
  it('is recorded in each, once per idempotency key, and has an outcome for each', async () => {
    const { jobIds } = await submitJobs(3);
    const unknown = randomUUID();
    await client.cancel(jobIds[2]!);
    const request: BulkRequest = { action: 'pause', jobIds: [...jobIds, unknown, jobIds[0]!], reason: 'lunch' };
    const options = { idempotencyKey: randomUUID() };
    const { outcomes, ...left } = await client.controlMany(request, options);
    expect(outcomes).toEqual([
      { jobId: jobIds[0], outcome: 'done', changed: true },
      { jobId: jobIds[1], outcome: 'done', changed: true },
      { jobId: jobIds[2], outcome: 'refused', code: 'request_refused', message: expect.stringMatching(/^Not done: /) },
      { jobId: unknown, outcome: 'refused', code: 'job_not_found', message: expect.stringContaining(unknown) },
    ]);
    expect(left).toEqual({ remaining: 0 });
    expect((await client.controlMany(request, options)).outcomes).toEqual(outcomes);
    expect(await countEvents(jobIds[0]!, 'JobPaused')).toBe(1);
    const other = await client.controlMany({ ...request, reason: 'dinner' }, options);
    expect(other.outcomes[0]).toMatchObject({ outcome: 'refused', code: 'idempotency_conflict' });
    const again = await client.controlMany({ action: 'pause', jobIds });
    expect(again.outcomes[0]).toEqual({ jobId: jobIds[0], outcome: 'done', changed: false });
  });

  it('selects jobs by a filter, not more than expected, and changes nothing in a dry run', async () => {
    const { jobIds, filter } = await submitJobs(4);
    const request = { action: 'cancel', filter } as const;
    const dry = await client.controlMany({ ...request, dryRun: true });
    expect(dry).toEqual({ outcomes: jobIds.map((jobId) => ({ jobId, outcome: 'selected' })), remaining: 0 });
    await expect(client.controlMany({ ...request, expectedCount: 3 })).rejects.toMatchObject({
      code: 'request_refused',
    });
    expect(await countEvents(jobIds[0]!, 'JobCancelRequested')).toBe(0);
    const done = await client.controlMany({ ...request, expectedCount: 4 });
    expect(done.outcomes).toEqual(jobIds.map((jobId) => ({ jobId, outcome: 'done', changed: true })));
    const ended = await client.controlMany({ action: 'cancel', jobIds });
    expect(ended.outcomes.map(({ changed }) => changed)).toEqual([false, false, false, false]);
  });

  it('sends messages, resumes, and retries', async () => {
    const { jobIds, filter } = await submitJobs(2);
    await client.controlMany({ action: 'steer', filter, message: 'Hurry.' });
    await client.controlMany({ action: 'pause', filter });
    const resumed = await client.controlMany({ action: 'resume', jobIds });
    expect(resumed.outcomes.every(({ changed }) => changed)).toBe(true);
    const retried = await client.controlMany({ action: 'retry', jobIds });
    expect(retried.outcomes.map(({ code }) => code)).toEqual(['request_refused', 'request_refused']);
    for (const jobId of jobIds) {
      const types = (await orchestrator.store.readCorrelation(jobId)).map(({ type }) => type);
      expect(types.filter((type) => type === 'JobPaused' || type === 'JobResumed')).toEqual([
        'JobPaused',
        'JobResumed',
      ]);
      expect(types.filter((type) => type === 'JobSteered')).toHaveLength(1);
    }
  });

  it.each([
    { action: 'pause' },
    { action: 'pause', filter: {}, jobIds: [randomUUID()] },
    { action: 'pause', jobIds: [] },
    { action: 'pause', jobIds: Array.from({ length: 501 }, () => randomUUID()) },
    { action: 'steer', filter: {} },
    { action: 'pause', filter: {}, message: 'x' },
    { action: 'pause', jobIds: [randomUUID()], expectedCount: 1 },
    { action: 'approve', filter: {} },
    { action: 'pause', filter: { colour: 'blue' } },
    { action: 'pause', filter: {}, cursor: 'abc' },
  ])('is refused if it is not clear which jobs or what: %#', async (body) => {
    expect(await orchestrator.json('/v1/jobs/bulk', post(body))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});

describe('a request to many jobs, with a filter that matches more than 500', () => {
  let database: pg.Pool;
  afterAll(() => database.end());

  it('says how many were left, and continues after the cursor', async () => {
    const { filter } = await submitJobs(1);
    database = createPool(orchestrator.databaseUrls.owner, { max: 1 });
    // Jobs that only the read model knows are enough for a dry run.
    const table = (
      await database.query<{ name: string }>(
        `SELECT 'jobs_v' || version AS name FROM phaseline.read_models WHERE name = 'jobs' AND state = 'active'`,
      )
    ).rows[0]!.name;
    await database.query(
      `INSERT INTO phaseline.${table} (job_id, submitted_position, position, tenant, agent, status, labels, created_at, updated_at,
         open_calls, awaiting_approval, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, steps)
       SELECT gen_random_uuid(), 1000000 + i, 1000000 + i, 'default', 'writer', 'paused', $1, now(), now(), '[]', '[]', 0, 0, 0, 0, 0
       FROM generate_series(1, 600) AS i`,
      [{ run: filter.labels[0]!.slice(4) }],
    );
    const first = await client.controlMany({ action: 'cancel', filter, dryRun: true, expectedCount: 601 });
    expect(first).toMatchObject({ remaining: 101, nextCursor: expect.any(String) as string });
    expect(first.outcomes).toHaveLength(500);
    const rest = await client.controlMany({ action: 'cancel', filter, dryRun: true, cursor: first.nextCursor });
    expect(rest.outcomes).toHaveLength(101);
    expect(rest).not.toHaveProperty('nextCursor');
    const ids = [...first.outcomes, ...rest.outcomes].map(({ jobId }) => jobId);
    expect(new Set(ids).size).toBe(601);
  });
});

describe('rights per tenant', () => {
  let subject: TwoTenants;
  beforeAll(async () => {
    subject = await startTwoTenants();
  });
  afterAll(() => subject.stop());

  const clientOf = async (...roles: Parameters<TwoTenants['createCaller']>[0]) => {
    const { key } = await subject.createCaller(roles);
    return new PhaselineClient({ baseUrl: subject.orchestrator.url, apiKey: key, retries: 0 });
  };

  it('decide which jobs are listed, counted and changed', async () => {
    const { own, other } = subject;
    const operator = await clientOf({ role: 'operator', tenant: own.tenant });
    const listed = await collect(operator.list({ tenants: [own.tenant, other.tenant] }));
    expect(listed.map(({ jobId }) => jobId).sort()).toEqual([own.jobId, own.repositoryJobId].sort());
    expect((await operator.listPage({ tenants: [other.tenant] })).items).toEqual([]);
    expect((await operator.countJobs()).tenants).toEqual([{ value: own.tenant, jobs: 2 }]);
    const all = await operator.controlMany({ action: 'cancel', filter: {}, dryRun: true });
    expect(all.outcomes.map(({ jobId }) => jobId).sort()).toEqual([own.jobId, own.repositoryJobId].sort());
    const missing = randomUUID();
    const { outcomes } = await operator.controlMany({ action: 'cancel', jobIds: [other.jobId, missing, own.jobId] });
    expect(outcomes.map(({ outcome, code }) => code ?? outcome)).toEqual(['job_not_found', 'job_not_found', 'done']);
    expect(outcomes[0]?.message?.replace(other.jobId, '')).toBe(outcomes[1]?.message?.replace(missing, ''));
    const types = (await subject.orchestrator.store.readCorrelation(other.jobId)).map(({ type }) => type);
    expect(types).not.toContain('JobCancelRequested');
  });

  it('do not find the content of encrypted jobs', async () => {
    const admin = await clientOf({ role: 'admin', tenant: '*' });
    const tenant = 'sealed';
    const { jobId } = await admin.submit({ agent: 'writer', tenant, encrypt: true });
    const open = await admin.submit({ agent: 'writer', tenant });
    for (const id of [jobId, open.jobId]) await admin.cancel(id, { reason: 'Zwynsecret.' });
    const find = async (text: string) =>
      (await admin.listPage({ tenants: [tenant], text })).items.map((job) => job.jobId);
    await expect
      .poll(async () => (await admin.listPage({ tenants: [tenant], statuses: ['cancelled'] })).items.length)
      .toBe(2);
    expect(await find('zwynsecret')).toEqual([open.jobId]);
    expect(await find(jobId)).toEqual([jobId]);
  });

  it('refuse changes to jobs that the caller may only see', async () => {
    const { own, other } = subject;
    const mixed = await clientOf({ role: 'viewer', tenant: own.tenant }, { role: 'operator', tenant: other.tenant });
    const { outcomes } = await mixed.controlMany({ action: 'pause', jobIds: [own.repositoryJobId], dryRun: true });
    expect(outcomes).toMatchObject([{ outcome: 'refused', code: 'forbidden' }]);
    const selected = await mixed.controlMany({ action: 'pause', filter: {}, dryRun: true });
    expect(selected.outcomes.map(({ jobId }) => jobId)).not.toContain(own.repositoryJobId);
    expect(selected.outcomes.map(({ jobId }) => jobId)).toContain(other.repositoryJobId);
    const viewer = await clientOf({ role: 'viewer', tenant: own.tenant });
    await expect(viewer.controlMany({ action: 'pause', filter: {} })).rejects.toMatchObject({ code: 'forbidden' });
  });
});
