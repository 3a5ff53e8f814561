import { PhaselineClient, type RetentionRunJobRecord, type RetentionRunRecord } from '@phaseline/client';
import { createPool } from '@phaseline/event-store';
import type { JobId } from '@phaseline/contracts';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';
import { startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let subject: TwoTenants;
let owner: Pool;
/** Administrators of one tenant each, and of all tenants. */
let own: Administrator;
let other: Administrator;
let root: Administrator;

interface Administrator {
  readonly id: string;
  readonly client: PhaselineClient;
}

beforeAll(async () => {
  subject = await startTwoTenants();
  owner = createPool(subject.orchestrator.databaseUrls.owner, { max: 2 });
  own = await createAdministrator(subject.own.tenant);
  other = await createAdministrator(subject.other.tenant);
  root = await createAdministrator('*');
});
afterAll(async () => {
  await owner?.end();
  await subject?.stop();
});
beforeEach(async () => {
  for (const { client, tenant } of listAdministrators()) await client.retention.set(tenant, { filesDays: null });
});

async function createAdministrator(tenant: string): Promise<Administrator> {
  const { id, key } = await subject.createCaller([{ role: 'admin', tenant }]);
  return { id, client: new PhaselineClient({ baseUrl: subject.orchestrator.url, apiKey: key, retries: 0 }) };
}

function listAdministrators(): readonly { readonly client: PhaselineClient; readonly tenant: string }[] {
  return [
    { client: own.client, tenant: subject.own.tenant },
    { client: other.client, tenant: subject.other.tenant },
  ];
}

/** Submits and cancels a job with a file of its own that was stored long ago. */
async function endJob(tenant: string, content: string): Promise<JobId> {
  const { jobId } = await root.client.submit({ agent: 'writer', tenant, documents: [{ name: 'in.md', content }] });
  await root.client.cancel(jobId, { reason: 'done' });
  await expect.poll(async () => (await root.client.get(jobId)).status).toBe('cancelled');
  await owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '2 days'`);
  await waitUntilRead(jobId);
  return jobId;
}

/** Waits until a run can know the end of a job: all older transactions have ended, also those of other specs on the same server. */
async function waitUntilRead(jobId: JobId): Promise<void> {
  const isOpen = async (): Promise<number | null> =>
    (
      await owner.query(
        `SELECT FROM phaseline.events WHERE correlation_id = $1 AND transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1`,
        [jobId],
      )
    ).rowCount;
  await expect.poll(isOpen, { timeout: 60_000 }).toBe(0);
}

async function waitForEnd(client: PhaselineClient, runId: string): Promise<RetentionRunRecord> {
  await expect
    .poll(async () => (await client.retention.getRun(runId)).status, { timeout: 60_000 })
    .toMatch(/completed|failed/);
  return client.retention.getRun(runId);
}

async function listJobs(client: PhaselineClient, runId: string): Promise<readonly RetentionRunJobRecord[]> {
  return (await client.retention.listRunJobs(runId)).items;
}

const isStored = async (content: string): Promise<boolean> =>
  (await owner.query('SELECT FROM phaseline.blobs WHERE content = $1', [Buffer.from(content)])).rowCount === 1;

describe('retention over HTTP', () => {
  it('shows the settings of the tenants of the caller, and who changed them', async () => {
    const { tenant } = subject.own;
    const setting = await own.client.retention.set(tenant, { filesDays: 30, vectorsDays: 7 });
    expect(setting).toMatchObject({ tenant, filesDays: 30, vectorsDays: 7, changedBy: own.id });
    expect((await own.client.retention.get()).tenants).toEqual([setting]);
    const events = await subject.orchestrator.store.read(`retention-${tenant}`);
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'RetentionSet', data: { actor: own.id, filesDays: 30, vectorsDays: 7 } },
      metadata: { actor: { id: own.id, kind: 'person' } },
    });
    expect((await other.client.retention.get()).tenants.map((one) => one.tenant)).toEqual([subject.other.tenant]);
    expect((await root.client.retention.get()).tenants).toHaveLength(2);
    expect(await own.client.retention.get()).toMatchObject({ automaticEveryMs: 86_400_000 });
    await expect(own.client.retention.set(subject.other.tenant, { filesDays: 0 })).rejects.toMatchObject({
      code: 'forbidden',
    });
    for (const filesDays of [-1, 1.5, 36_501])
      await expect(own.client.retention.set(tenant, { filesDays })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('removes only files of the tenants of the caller, after a dry run that shows them', async () => {
    const mine = await endJob(subject.own.tenant, 'mine to remove');
    const theirs = await endJob(subject.other.tenant, 'theirs to keep');
    for (const { client, tenant } of listAdministrators()) await client.retention.set(tenant, { filesDays: 0 });
    const dry = await waitForEnd(own.client, (await own.client.retention.startRun({ dryRun: true })).runId);
    expect(dry).toMatchObject({
      status: 'completed',
      dryRun: true,
      tenants: [subject.own.tenant],
      requestedBy: own.id,
    });
    expect((await listJobs(own.client, dry.runId)).map(({ jobId }) => jobId)).toContain(mine);
    expect(await isStored('mine to remove')).toBe(true);

    const run = await waitForEnd(own.client, (await own.client.retention.startRun()).runId);
    expect(run.files).toBeGreaterThan(0);
    expect(run.bytes).toBeGreaterThan(0);
    expect([await isStored('mine to remove'), await isStored('theirs to keep')]).toEqual([false, true]);
    const [removed] = await subject.orchestrator.store.readCorrelation(mine, { types: ['FilesRemoved'] });
    expect(removed).toMatchObject({ data: { actor: own.id }, metadata: { actor: { id: own.id, kind: 'person' } } });
    expect(await subject.orchestrator.store.readCorrelation(theirs, { types: ['FilesRemoved'] })).toEqual([]);
    expect((await own.client.retention.get()).lastRun).toMatchObject({ runId: run.runId, status: 'completed' });
  });

  it('hides runs of other tenants like missing ones, and shows of a run over all tenants only the own part', async () => {
    const mine = await endJob(subject.own.tenant, 'a file of one tenant');
    const theirs = await endJob(subject.other.tenant, 'a file of the other');
    for (const { client, tenant } of listAdministrators()) await client.retention.set(tenant, { filesDays: 0 });
    const { runId } = await own.client.retention.startRun({ dryRun: true });
    const message = async (id: string): Promise<string> =>
      other.client.retention.getRun(id).then(
        () => 'found',
        (error: Error) => error.message.replaceAll(id, '…'),
      );
    expect(await message(runId)).toBe(await message('11111111-2222-4333-8444-555555555555'));
    await expect(other.client.retention.listRunJobs(runId)).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(other.client.retention.startRun({ tenant: subject.own.tenant })).rejects.toMatchObject({
      code: 'forbidden',
    });

    const all = await waitForEnd(root.client, (await root.client.retention.startRun({ dryRun: true })).runId);
    const seen = async ({ client }: Administrator) => (await listJobs(client, all.runId)).map(({ jobId }) => jobId);
    expect(await seen(root)).toEqual(expect.arrayContaining([mine, theirs]));
    expect(await seen(own)).toContain(mine);
    expect(await seen(own)).not.toContain(theirs);
    expect((await own.client.retention.getRun(all.runId)).jobs).toBeLessThan(all.jobs);
  });

  it('executes one run at a time over all replicas, and returns the one that has not ended for a second request', async () => {
    const { orchestrator } = subject;
    const replica = await startOrchestrator({}, { beside: orchestrator });
    onTestFinished(async () => void (await replica.stop()));
    const blocker = await owner.connect();
    try {
      // As another replica that executes a run.
      await blocker.query('SELECT pg_advisory_lock(7406318270)');
      const first = await own.client.retention.startRun({ dryRun: true });
      expect(first.status).toBe('waiting');
      expect((await own.client.retention.startRun({ dryRun: true })).runId).toBe(first.runId);
      const second = await other.client.retention.startRun({ dryRun: true });
      expect(second.runId).not.toBe(first.runId);
      expect((await own.client.retention.getRun(first.runId)).status).toBe('waiting');
      await blocker.query('SELECT pg_advisory_unlock(7406318270)');
      // A request has the replica that received it search for runs immediately.
      const third = await root.client.retention.startRun({ dryRun: true });
      const ended = [
        await waitForEnd(own.client, first.runId),
        await waitForEnd(other.client, second.runId),
        await waitForEnd(root.client, third.runId),
      ];
      const times = ended.map(({ startedAt, endedAt }) => [startedAt!, endedAt!]);
      expect(times.flat()).toEqual(times.flat().toSorted());
    } finally {
      blocker.release(true);
    }
  });

  it('continues a run whose process died, and reports each job once', async () => {
    const jobId = await endJob(subject.own.tenant, 'of a run that was interrupted');
    await own.client.retention.set(subject.own.tenant, { filesDays: 0 });
    await own.client.holds.place(jobId, { reason: 'case' });
    const runId = '99999999-2222-4333-8444-555555555555';
    const actor = JSON.stringify({ id: own.id, kind: 'person' });
    await owner.query(
      `INSERT INTO phaseline.retention_runs (run_id, actor, tenants, dry_run, started_at) VALUES ($1, $2, $3, false, now())`,
      [runId, actor, [subject.own.tenant]],
    );
    await owner.query(
      `INSERT INTO phaseline.retention_run_jobs (run_id, job_id, tenant, outcome) VALUES ($1, $2, $3, $4)`,
      [runId, jobId, subject.own.tenant, JSON.stringify({ kind: 'kept', reason: 'held' })],
    );
    // Any request has the replica search for runs.
    expect((await own.client.retention.startRun()).runId).toBe(runId);
    expect((await waitForEnd(own.client, runId)).status).toBe('completed');
    const reported = (await listJobs(own.client, runId)).filter((job) => job.jobId === jobId);
    expect(reported).toEqual([{ jobId, tenant: subject.own.tenant, kind: 'kept', reason: 'held' }]);
    expect(await isStored('of a run that was interrupted')).toBe(true);
  });
});

describe('automatic runs', () => {
  it('remove what is due as the service, once per interval over all replicas, but not by a setting of a moment ago', async () => {
    const env = { PHASELINE_RETENTION_INTERVAL_MS: '3600000' };
    const first = await startOrchestrator(env);
    const pool = createPool(first.databaseUrls.owner, { max: 1 });
    const count = async (): Promise<number> =>
      (await pool.query(`SELECT FROM phaseline.retention_runs WHERE actor ->> 'id' = 'retention'`)).rowCount ?? 0;
    try {
      const client = new PhaselineClient({ baseUrl: first.url, retries: 0 });
      const { runId } = await client.retention.startRun({ dryRun: true });
      await waitForEnd(client, runId);
      expect(await count()).toBe(0);
      await client.retention.set('default', { filesDays: 0 });
      // The replica searches for runs before it executes one: the setting is too new to be applied.
      await waitForEnd(client, (await client.retention.startRun({ dryRun: true })).runId);
      expect(await count()).toBe(0);
      await pool.query(`UPDATE phaseline.retention_settings SET changed_at = changed_at - interval '2 hours'`);
      const replicas = [
        await startOrchestrator(env, { beside: first }),
        await startOrchestrator(env, { beside: first }),
      ];
      await expect
        .poll(async () => (await client.retention.get()).lastRun?.status, { timeout: 60_000 })
        .toBe('completed');
      expect((await client.retention.get()).lastRun).toMatchObject({ requestedBy: 'retention', dryRun: false });
      for (const replica of replicas) expect(await replica.stop()).toBe(true);
      expect(await count()).toBe(1);
    } finally {
      await pool.end();
      await first.stop();
    }
  });

  it('can be switched off', async () => {
    const orchestrator = await startOrchestrator({ PHASELINE_RETENTION_INTERVAL_MS: '0' });
    try {
      const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
      await client.retention.set('default', { filesDays: 0 });
      await waitForEnd(client, (await client.retention.startRun({ dryRun: true })).runId);
      const status = await client.retention.get();
      expect([status.automaticEveryMs, status.lastRun]).toEqual([undefined, undefined]);
    } finally {
      await orchestrator.stop();
    }
  });
});
