import { userInfo } from 'node:os';
import { PhaselineClient } from '@phaseline/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents, post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator({
    PHASELINE_MAX_PHASES_PER_TENANT: '1',
    PHASELINE_TENANT_LIMITS: 'beta=2, idle=9',
    // No test here may depend on the reconciler.
    PHASELINE_RECONCILE_INTERVAL_MS: '600000',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

async function submit(tenant: string, count: number): Promise<string[]> {
  const jobIds: string[] = [];
  for (let job = 0; job < count; job += 1) jobIds.push((await client.submit({ agent: 'writer', tenant })).jobId);
  return jobIds;
}

/** Returns the jobs that have started, in the order of the list. */
async function findStarted(jobIds: readonly string[]): Promise<string[]> {
  const jobs = await Promise.all(jobIds.map((jobId) => client.get(jobId)));
  return jobs.filter(({ status }) => status !== 'submitted').map(({ jobId }) => jobId);
}

const loadOf = async (tenant: string) => (await client.tenants.list()).find((load) => load.tenant === tenant);

describe('tenants', () => {
  it('run as many phases as they may, and the next job starts when one has ended', async () => {
    const jobIds = await submit('acme', 3);
    await expect.poll(() => loadOf('acme')).toMatchObject({ runningPhases: 1, waitingJobs: 2, maxRunningPhases: 1 });
    const [running] = await findStarted(jobIds);
    expect(await findStarted(jobIds)).toEqual([running]);
    const waiting = jobIds.find((jobId) => jobId !== running)!;
    expect((await client.get(waiting)).waitsFor).toMatchObject({
      kind: 'slot',
      description: expect.stringContaining('tenant acme has 1 of 1 phases running'),
    });
    await orchestrator.inPhase(running!, 1, [phaseEvents.completed()]);
    await expect.poll(() => findStarted(jobIds)).toHaveLength(2);
    await expect.poll(() => loadOf('acme')).toMatchObject({ runningPhases: 1, waitingJobs: 1 });
  });

  it('are listed while they have their own limit, even without jobs', async () => {
    expect(await loadOf('idle')).toEqual({ tenant: 'idle', runningPhases: 0, waitingJobs: 0, maxRunningPhases: 9 });
    expect(await loadOf('nobody')).toBeUndefined();
  });

  it('can be given another limit at run time, which applies immediately and records who set it', async () => {
    const jobIds = await submit('gamma', 4);
    await expect.poll(() => loadOf('gamma')).toMatchObject({ runningPhases: 1, waitingJobs: 3 });
    const answer = await client.tenants.set('gamma', { maxRunningPhases: 3 });
    expect(answer).toMatchObject({
      tenant: 'gamma',
      runningPhases: 3,
      waitingJobs: 1,
      maxRunningPhases: 3,
      limitSetBy: userInfo().username,
    });
    expect(await findStarted(jobIds)).toHaveLength(3);
    expect(await client.tenants.set('gamma', { maxRunningPhases: null })).toMatchObject({
      runningPhases: 3,
      maxRunningPhases: 1,
    });
    expect((await loadOf('gamma'))!.limitSetBy).toBeUndefined();
    const owner = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
    await owner.connect();
    const { rows } = await owner.query('SELECT tenant, max_phases, actor FROM phaseline.tenant_limits ORDER BY id');
    await owner.end();
    expect(rows).toEqual([
      { tenant: 'gamma', max_phases: 3, actor: userInfo().username },
      { tenant: 'gamma', max_phases: null, actor: userInfo().username },
    ]);
  });

  it('with invalid names or limits are refused', async () => {
    const put = (tenant: string, body: unknown) =>
      orchestrator.json(`/v1/tenants/${tenant}`, { ...post(body), method: 'PUT' });
    expect(await put('acme%20corp', { maxRunningPhases: 1 })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    expect(await put('acme', { maxRunningPhases: -1 })).toMatchObject({ status: 400 });
    expect(await put('acme', {})).toMatchObject({ status: 400 });
  });

  it('appear in the metrics, with the time spent waiting for slots', async () => {
    const text = await (await orchestrator.fetch('/metrics')).text();
    expect(text).toMatch(/phaseline_tenant_phases\{.*tenant="acme",state="waiting".*\} 1/);
    expect(text).toMatch(/phaseline_slot_wait_seconds_count\{.*\} [1-9]/);
  });
});
