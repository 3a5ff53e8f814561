import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { FollowOnBatches } from '@phaseline/orchestration';
import { createTestPool } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const checker = { name: 'checker', startWhen: { cache: 'open', batch: 3, perTenant: 1 } } as const;
const files = {
  'agents/checker/agent.yaml': `
name: checker
displayName: Checker
workflow: short
tools: {}
startWhen: { cache: open, batch: 3 }
`,
  'agents/checker/instructions.md': '# Check well\n',
};

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: pg.Pool;
let tenant: string;

beforeAll(async () => {
  orchestrator = await startOrchestrator({}, { files });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createTestPool({ connectionString: orchestrator.databaseUrls.service, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});
beforeEach(() => {
  tenant = `t-${randomUUID().slice(0, 8)}`;
});

/** Writes requirements to the cache of the tenant, as a call of the job would. */
async function fillCache(jobId: JobId, count: number): Promise<void> {
  const callId = `call_${randomUUID()}`;
  const entries = Array.from({ length: count }, () => {
    const digest = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
    const rest = { id: digest, text: digest, modality: 'obligation', section: [], citation: {}, confidence: 1 };
    return { digest, ...rest };
  });
  const write = 'SELECT * FROM phaseline.cache_requirements($1, $2, $3, $4)';
  await pool.query(write, [tenant, jobId, callId, JSON.stringify(entries)]);
}

async function noteCached(jobId: JobId, added: number): Promise<void> {
  const data = { callId: `call_${randomUUID()}`, tenant, collection: tenant, added, duplicates: 0 };
  await orchestrator.inPhase(jobId, 1, [{ type: 'RequirementsCached', data }]);
}

async function submitWriter(): Promise<JobId> {
  return (await client.submit({ agent: 'writer', tenant, labels: { project: 'lamp', of: randomUUID() } })).jobId;
}

async function write(jobId: JobId, count: number): Promise<void> {
  await fillCache(jobId, count);
  await noteCached(jobId, count);
}

/** The follow-on jobs of the tenant, oldest first. */
async function listFollowOns(): Promise<{ jobId: JobId; batch: number; requirements: number }[]> {
  const { rows } = await pool.query<{ job_id: JobId }>(
    `SELECT job_id FROM phaseline.follow_on_batches WHERE tenant = $1 AND submitted_at IS NOT NULL ORDER BY formed_at`,
    [tenant],
  );
  return Promise.all(
    rows.map(async ({ job_id: jobId }) => {
      const { submitted } = (await orchestrator.repository.loadJob(jobId))!;
      const { batch, requirements } = submitted.followOn!;
      return { jobId, batch, requirements };
    }),
  );
}

/** Number of batches that were formed, whether or not their jobs were submitted. */
async function countFormed(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM phaseline.follow_on_batches WHERE tenant = $1',
    [tenant],
  );
  return rows[0]!.count;
}

/** Number of jobs of the agent in the tenant, according to the log. */
async function countSubmitted(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM phaseline.events
     WHERE type = 'JobSubmitted' AND data ->> 'tenant' = $1 AND data -> 'agent' ->> 'name' = 'checker'`,
    [tenant],
  );
  return rows[0]!.count;
}

const batchesOf = async (): Promise<[number, number][]> =>
  (await listFollowOns()).map(({ batch, requirements }) => [batch, requirements]);

describe('an agent with startWhen', () => {
  it('gets one job per full batch, at most perTenant at a time, and the rest when the writer has ended', async () => {
    const writer = await submitWriter();
    await write(writer, 7);
    await expect.poll(batchesOf).toEqual([[1, 3]]);
    expect(await new FollowOnBatches(pool).form(checker, tenant)).toEqual([]);
    expect(await countFormed()).toBe(1);
    const [first] = await listFollowOns();
    expect((await client.get(first!.jobId)).labels).toMatchObject({ project: 'lamp' });
    const [submitted] = await orchestrator.store.read(`job-${first!.jobId}`);
    expect(submitted).toMatchObject({
      type: 'JobSubmitted',
      data: { tenant, actor: 'system/follow-on' },
      metadata: { actor: { id: 'system/follow-on', kind: 'service' } },
    });
    await client.cancel(first!.jobId);
    await expect.poll(batchesOf).toEqual([
      [1, 3],
      [2, 3],
    ]);
    const [, second] = await listFollowOns();
    await client.cancel(second!.jobId);
    // One requirement is left, and its writer may write more.
    await write(writer, 1);
    expect(await countSubmitted()).toBe(2);
    await client.cancel(writer);
    await expect.poll(batchesOf).toEqual([
      [1, 3],
      [2, 3],
      [3, 2],
    ]);
    const [, , third] = await listFollowOns();
    await client.cancel(third!.jobId);
    expect(await countSubmitted()).toBe(3);
  });

  it('gets nothing again for a batch, whatever is delivered twice or restarted', async () => {
    const writer = await submitWriter();
    await write(writer, 3);
    await expect.poll(batchesOf).toEqual([[1, 3]]);
    await noteCached(writer, 3);
    await noteCached(writer, 0);
    const other = await startOrchestrator({}, { files, beside: orchestrator });
    const [first] = await listFollowOns();
    await client.cancel(first!.jobId);
    await client.cancel(writer);
    await other.stop();
    // What follows in another tenant was delivered after all of this.
    const before = tenant;
    tenant = `${before}-b`;
    await write(await submitWriter(), 3);
    await expect.poll(batchesOf).toEqual([[1, 3]]);
    tenant = before;
    expect(await countSubmitted()).toBe(1);
  });

  it('gets the job of a batch whose orchestrator died before it submitted it', async () => {
    const writer = await submitWriter();
    await fillCache(writer, 4);
    const batches = new FollowOnBatches(pool);
    await batches.addWriters([{ jobId: writer, tenant, collection: tenant }]);
    const formed = await Promise.all([batches.form(checker, tenant), batches.form(checker, tenant)]);
    expect(formed.map((each) => each.length)).toEqual([1, 1]);
    expect(formed[0]).toEqual(formed[1]);
    const other = await startOrchestrator({}, { files, beside: orchestrator });
    await expect.poll(batchesOf).toEqual([[1, 3]]);
    await other.stop();
    expect(await countSubmitted()).toBe(1);
    expect((await listFollowOns())[0]!.jobId).toBe(formed[0]![0]!.jobId);
    expect(await batches.listOfJob(writer, 'checker')).toMatchObject([{ ofJob: 3, isSubmitted: true }]);
    expect(await batches.countWaiting(writer, 'checker')).toBe(1);
    expect(await client.followOns(writer, 'checker')).toEqual({
      items: [{ agent: 'checker', jobId: formed[0]![0]!.jobId, batch: 1, requirements: 3, ofJob: 3 }],
      waiting: 1,
    });
    await expect(client.followOns(writer, 'writer')).rejects.toThrow('has no startWhen');
  });

  it('gets the requirements of several jobs in one batch, with the labels that the jobs have in common', async () => {
    const writers = [await submitWriter(), await submitWriter()];
    for (const writer of writers) await write(writer, 2);
    await expect.poll(batchesOf).toEqual([[1, 3]]);
    const [first] = await listFollowOns();
    expect((await client.get(first!.jobId)).labels).toEqual({ project: 'lamp' });
    expect(await client.followOns(writers[1]!, 'checker')).toMatchObject({ items: [{ ofJob: 1 }], waiting: 1 });
  });

  it('is shown in the list of agents', async () => {
    const { body } = await orchestrator.json('/v1/agents');
    const items = body['items'] as { name: string; startWhen?: unknown }[];
    expect(items.flatMap(({ name, startWhen }) => (startWhen ? [[name, startWhen]] : []))).toEqual([
      ['checker', { cache: 'open', batch: 3, perTenant: 1 }],
    ]);
  });
});
