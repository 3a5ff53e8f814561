import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { call, createThreePhasePolicy, Engine } from '@phaseline/harness';
import { Principals } from '@phaseline/identity';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { administrator } from '../testing/two-tenants.js';

const GUARD = { name: 'tried', owner: 'ada', when: { tool: 'write_file' }, then: { deny: 'no' } };

let orchestrator: OrchestratorForSpecs;
let pool: pg.Pool;
let jobId: JobId;
const as: Record<string, PhaselineClient> = {};

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  const principals = new Principals(pool, orchestrator.store);
  const people = { ada: ['author', 'default'], vera: ['viewer', 'default'], olga: ['author', 'acme'] } as const;
  for (const [id, [role, tenant]] of Object.entries(people)) {
    await principals.create(administrator, id, 'person');
    await principals.grant(administrator, id, role, tenant);
    const { key } = await principals.createKey(administrator, id, { label: 'spec' });
    as[id] = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
  }
  const policy = createThreePhasePolicy([call('write_file', { path: 'output/a.md', content: 'text' })]);
  jobId = await new Engine({ store: orchestrator.store, policy }).submitAndRun();
  await vi.waitFor(
    async () => expect((await as['ada']!.listPage({})).items).toMatchObject([{ status: 'completed' }]),
    10_000,
  );
});
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
});

it('a guard that is not stored is tried on the jobs of a tenant, and nothing is recorded', async () => {
  const before = await orchestrator.store.readCorrelation(jobId);
  const tried = await as['ada']!.whatIf.backtest({ guard: GUARD });
  expect(tried).toMatchObject({
    jobs: [{ jobId, hits: [{ tool: 'write_file', decision: 'deny', assessment: 'possibly-wrong' }] }],
    ...{ omittedHits: 0, figures: { jobs: 1, hits: 1, isComplete: true } },
  });
  expect(await orchestrator.store.readCorrelation(jobId)).toHaveLength(before.length);
  expect((await as['ada']!.guards.list({})).map(({ name }) => name)).not.toContain(GUARD.name);
  await expect(as['ada']!.whatIf.backtest({ guard: { ...GUARD, command: 'rm' } })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

it('jobs are billed and checked as the programs on the machine of the log do', async () => {
  const { jobs: bills, unbilled } = await as['ada']!.whatIf.bill({ context: { keepResults: 1 } });
  expect([...bills, ...unbilled].map((one) => one.jobId)).toEqual([jobId]);
  const { release, jobs } = await as['ada']!.whatIf.checkRelease();
  expect(jobs).toMatchObject([{ jobId, differences: [] }]);
  expect(jobs[0]!.decisions).toBeGreaterThan(10);
  expect(release).not.toBe('');
  await expect(as['ada']!.whatIf.bill({})).rejects.toMatchObject({ code: 'invalid_request' });
});

it('a caller needs the right in the tenant of the jobs', async () => {
  const [vera, olga] = [as['vera']!.whatIf, as['olga']!.whatIf];
  const refused = [
    ...[vera.backtest({ guard: GUARD }), vera.bill({ context: {} }), vera.checkRelease()],
    ...[
      olga.backtest({ guard: GUARD, tenant: 'default' }),
      olga.bill({ context: {}, tenant: 'default' }),
      olga.checkRelease({ tenant: 'default' }),
    ],
  ];
  await Promise.all(refused.map((one) => expect(one).rejects.toMatchObject({ code: 'forbidden' })));
  // Her own tenant has no jobs.
  expect(await olga.checkRelease()).toMatchObject({ jobs: [] });
});
