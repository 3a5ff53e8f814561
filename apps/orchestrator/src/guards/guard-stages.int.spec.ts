import { PhaselineClient } from '@phaseline/client';
import { createPool, MasterKeys } from '@phaseline/event-store';
import { Principals } from '@phaseline/identity';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { administrator } from '../testing/two-tenants.js';

const FROZEN = `
name: auditor
displayName: Auditor
workflow: short
tools: {}
frozen: true
`;

let orchestrator: OrchestratorForSpecs;
let pool: pg.Pool;
const as: Record<string, PhaselineClient> = {};

beforeAll(async () => {
  const files = { 'agents/auditor/agent.yaml': FROZEN, 'agents/auditor/instructions.md': '# Audit\n' };
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() }, { files });
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  const principals = new Principals(pool, orchestrator.store);
  const people = { ada: ['author', 'acme'], ben: ['approver', 'acme'], vera: ['viewer', 'acme'], root: ['admin', '*'] };
  for (const [id, [role, tenant]] of Object.entries(people)) {
    await principals.create(administrator, id, 'person');
    await principals.grant(administrator, id, role as 'author', tenant!);
    const { key } = await principals.createKey(administrator, id, { label: 'spec' });
    as[id] = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
  }
});
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
});

const tenant = 'acme';
const basis = { cause: 'outcomes_worse', figure: '1 of 1 approvals refused' } as const;
const buildGuard = (change: object = {}) => ({
  ...{ name: 'no-secrets', owner: 'ada', minLabelled: 0 },
  ...{ when: { tool: 'read_file', agent: 'writer' }, then: { deny: 'no' } },
  ...change,
});
const promote = async (to: 'shadow' | 'production') => {
  const { newest } = (await as['ben']!.guards.list({ tenant })).find(({ name }) => name === 'no-secrets')!;
  return as['ben']!.guards.promote('no-secrets', { tenant, version: newest.version, to, basis, reason: 'wanted' });
};
const stageOf = async () => (await as['ada']!.guards.get('no-secrets', { tenant })).versions[0]!.stage;

/** Submits a job of a tenant, and waits until its first phase is in the log. */
async function submit(ofTenant: string): Promise<void> {
  const { jobId } = await as['root']!.submit({ agent: 'writer', instructions: 'Go.', tenant: ofTenant });
  await expect.poll(() => orchestrator.repository.loadPhase(jobId, 1), { timeout: 20_000 }).toBeDefined();
}

it('a stored guard goes through its stages with figures from the log of its tenant, and back', async () => {
  for (const one of [tenant, tenant, 'beta']) await submit(one);
  await as['ada']!.guards.add({ tenant, guard: buildGuard() });
  await expect(promote('shadow')).rejects.toMatchObject({ message: expect.stringContaining('is a draft') });
  await expect(as['vera']!.guards.backtest('no-secrets', { tenant })).rejects.toMatchObject({ code: 'forbidden' });

  // The job of the other tenant is not read. Unit specs of libs/what-if and libs/harness check the figures.
  const { stage, backtest } = await as['ada']!.guards.backtest('no-secrets', { tenant });
  expect(stage).toBe('backtest');
  expect(backtest).toMatchObject({ actor: 'ada', number: 1, jobs: 2, isComplete: true, examples: [] });

  await expect(
    as['ben']!.guards.promote('no-secrets', { tenant, version: 'a'.repeat(64), to: 'shadow', reason: 'r' } as never),
  ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/outcomes_worse .*tool_use/s) });
  await promote('shadow');
  await promote('production');
  const { versions, changes } = await as['ben']!.guards.get('no-secrets', { tenant });
  expect(versions[0]).toMatchObject({ stage: 'production', minLabelled: 0, backtests: [backtest] });
  expect(changes.map(({ to, basis: of }) => [to, of])).toEqual([
    ['production', basis],
    ['shadow', basis],
  ]);
  await as['ben']!.guards.rollBack('no-secrets', { tenant, reason: 'a false positive' });
  expect(await stageOf()).toBe('draft');
});

it('a promotion is refused with too few outcomes, with a broken case, and when it could reach a frozen agent', async () => {
  const refuse = async (guard: object, cases = { passed: 1, broken: [] as string[] }) => {
    await as['ada']!.guards.add({ tenant, guard: buildGuard(guard) });
    await as['ada']!.guards.backtest('no-secrets', { tenant, cases });
    return promote('shadow').then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  };
  expect(await refuse({ minLabelled: 2 })).toMatch(/compared 0 calls .* demands 2/);
  expect(await refuse({ minLabelled: 0 }, { passed: 0, broken: ['reads a key'] })).toMatch(/reads a key/);
  expect(await refuse({ when: { tool: 'read_file' } })).toMatch(/frozen agents: auditor/);
  expect(await refuse({ limits: { maxOverrides: 3, automatic: true } })).toBe('accepted');
});

it('only one backtest runs at a time', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 2 }, () => as['ada']!.guards.backtest('no-secrets', { tenant })),
  );
  const [refused, ...others] = outcomes.filter(({ status }) => status === 'rejected');
  expect(others).toEqual([]);
  expect(refused).toMatchObject({ reason: { code: 'what_if_running' } });
});

it('a guard of the installation is run on the jobs of all tenants, by a caller with the right in all of them', async () => {
  const place = { scope: 'system' } as const;
  await as['root']!.guards.add({ ...place, guard: buildGuard() });
  await expect(as['ada']!.guards.backtest('no-secrets', place)).rejects.toMatchObject({ code: 'forbidden' });
  expect((await as['root']!.guards.backtest('no-secrets', place)).backtest.jobs).toBe(3);
});
