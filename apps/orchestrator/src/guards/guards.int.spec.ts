import { PhaselineClient } from '@phaseline/client';
import { MasterKeys, createPool } from '@phaseline/event-store';
import type { BacktestFigures, JobId } from '@phaseline/contracts';
import { Principals } from '@phaseline/identity';
import { compareGuards, GuardRegistry, type GuardPlace } from '@phaseline/orchestration';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { administrator } from '../testing/two-tenants.js';

/** An agent with a guard of its own. */
const FILES = {
  'agents/writer/guards/own.yaml': 'name: own\nowner: ada\nwhen: { tool: a }\nthen: { deny: no }\n',
};

let orchestrator: OrchestratorForSpecs;
let pool: pg.Pool;
const as: Record<string, PhaselineClient> = {};

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() }, { files: FILES });
  pool = createPool(orchestrator.databaseUrls.service, { max: 4 });
  const principals = new Principals(pool, orchestrator.store);
  const people = {
    author: [['author', 'acme']],
    approver: [['approver', 'acme']],
    admin: [['admin', 'acme']],
    stranger: [['admin', 'beta']],
    root: [['admin', '*']],
    second: [['admin', '*']],
  } as const;
  for (const [id, roles] of Object.entries(people)) {
    await principals.create(administrator, id, 'person');
    for (const [role, tenant] of roles) await principals.grant(administrator, id, role, tenant);
    const { key } = await principals.createKey(administrator, id, { label: 'spec' });
    as[id] = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
  }
});
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
});

const rule = (name: string, deny = 'no') => ({
  ...{ name, owner: 'ada', minLabelled: 0 },
  ...{ when: { tool: 'write_file' }, then: { deny } },
});
const basis = { cause: 'outcomes_worse', figure: '5 of 6 approvals refused' } as const;
/** What a backtest finds in an empty log. guard-stages.int.spec.ts runs real ones. */
const NOTHING_FOUND: BacktestFigures = {
  ...{ jobs: 0, calls: 0, hits: 0, possiblyWrong: 0, labelled: 0, isComplete: true, examples: [] },
  moneyAtRisk: { atLeast: { costMicroUsd: 0, durationMs: 0 }, atMost: { costMicroUsd: 0, durationMs: 0 } },
  upTo: { until: '2026-11-01T00:00:00.000Z' },
};
const backtest = async (place: GuardPlace, version: string) => {
  const registry = orchestrator.get(GuardRegistry);
  const events = await registry.readEvents(place);
  const added = events.findLast(({ event }) => event.type === 'GuardVersionAdded' && event.data.version === version);
  const number = added?.event.data.number;
  if (number !== undefined)
    await registry.recordBacktest(place, number, NOTHING_FOUND, { id: 'author', kind: 'person' });
};
const tenant = 'acme';
const add = async (name: string, deny?: string, by = 'author') =>
  (await as[by]!.guards.add({ tenant, guard: rule(name, deny) })).guard.newest.version;
const promote = async (name: string, version: string, to: 'shadow' | 'production', by = 'approver') => {
  if (to === 'shadow') await backtest({ tenant, name }, version);
  return as[by]!.guards.promote(name, { tenant, version, to, basis, reason: 'wanted' });
};
const rollBack = (name: string, by = 'approver') => as[by]!.guards.rollBack(name, { tenant, reason: 'too strict' });
/** Stages of the versions of a guard, oldest first. */
const stagesOf = async (name: string) =>
  (await as['approver']!.guards.get(name, { tenant })).versions.map(({ stage }) => stage).toReversed();

async function submit(toTenant = tenant): Promise<JobId> {
  const { jobId } = await as['root']!.submit({ agent: 'writer', instructions: 'Go.', tenant: toTenant });
  await expect.poll(() => orchestrator.repository.loadPhase(jobId, 1), { timeout: 20_000 }).toBeDefined();
  return jobId;
}
const guardsOf = async (jobId: JobId) =>
  ((await orchestrator.repository.loadPhase(jobId, 1))!.start.terms.guards ?? []).map(
    ({ scope, name, stage }) => `${scope} ${name} ${stage}`,
  );

describe('a stored guard', () => {
  it('is asked in phases that start after another person put it into shadow or production, in its tenant only', async () => {
    const version = await add('steps');
    const before = await submit();
    expect(await guardsOf(before)).toEqual(['agent own production']);
    await promote('steps', version, 'shadow');
    expect(await guardsOf(await submit())).toEqual(['tenant steps shadow', 'agent own production']);
    await promote('steps', version, 'production');
    expect(await guardsOf(await submit())).toEqual(['tenant steps production', 'agent own production']);
    expect(await guardsOf(await submit('beta'))).toEqual(['agent own production']);
    expect(await guardsOf(before)).toEqual(['agent own production']);
    await rollBack('steps');
    expect(await guardsOf(await submit())).toEqual(['agent own production']);
  });

  it('needs shadow before production, and cannot skip its author', async () => {
    const version = await add('order');
    await expect(promote('order', version, 'production')).rejects.toMatchObject({
      code: 'request_refused',
      message: expect.stringContaining('is a draft; run it on recorded calls first'),
    });
    const own = await add('order', 'by an admin', 'admin');
    await expect(promote('order', own, 'shadow', 'admin')).rejects.toMatchObject({
      message: expect.stringContaining('admin wrote version 2; another person has to promote it'),
    });
    await expect(promote('order', 'f'.repeat(64), 'shadow')).rejects.toMatchObject({ code: 'guard_not_found' });
    expect(await promote('order', version, 'shadow')).toMatchObject({ changed: true });
    expect(await promote('order', version, 'shadow')).toMatchObject({ changed: false });
  });

  it('has one version in each stage; every version stays, and a rollback returns to the one before', async () => {
    const versions = [await add('many', 'one'), await add('many', 'two'), await add('many', 'three', 'admin')];
    for (const version of versions.slice(0, 2)) {
      await promote('many', version, 'shadow');
      await promote('many', version, 'production');
    }
    expect(await stagesOf('many')).toEqual(['draft', 'production', 'draft']);
    await promote('many', versions[2]!, 'shadow');
    expect(await stagesOf('many')).toEqual(['draft', 'production', 'shadow']);
    await promote('many', versions[2]!, 'production');
    await expect(rollBack('many', 'admin')).rejects.toMatchObject({ code: 'request_refused' });
    await rollBack('many');
    expect(await stagesOf('many')).toEqual(['draft', 'production', 'draft']);
    await rollBack('many');
    expect(await stagesOf('many')).toEqual(['production', 'draft', 'draft']);
    await rollBack('many');
    expect(await stagesOf('many')).toEqual(['draft', 'draft', 'draft']);
    await expect(rollBack('many')).rejects.toMatchObject({ message: expect.stringContaining('no version') });
    const { changes, versions: shown } = await as['author']!.guards.get('many', { tenant });
    expect(changes.slice(0, 4).map(({ number, cause, actor }) => [number, cause, actor])).toEqual([
      [1, 'rolled_back', 'approver'],
      [1, 'restored', 'approver'],
      [2, 'rolled_back', 'approver'],
      [2, 'restored', 'approver'],
    ]);
    expect(shown[0]).toMatchObject({ number: 3, addedBy: 'admin', definition: { kind: 'rule' } });
    expect(await add('many', 'one')).toBe(versions[2]);
    expect((await as['author']!.guards.add({ tenant, guard: rule('many', 'one') })).changed).toBe(false);
  });

  it('is a script too, and a mistake is named with its member', async () => {
    const script = { name: 'script', owner: 'ada', code: '() => undefined' };
    expect((await as['author']!.guards.add({ tenant, guard: script })).guard).toMatchObject({ kind: 'script' });
    const refused = async (guard: Record<string, unknown>) =>
      as['author']!.guards.add({ tenant, guard }).then(
        () => 'accepted',
        (error: { readonly code: string; readonly message: string }) => `${error.code} ${error.message}`,
      );
    expect(await refused({ ...rule('x'), when: { tol: 'a' } })).toMatch(/invalid_request.*guard\.when/s);
    expect(await refused({ ...rule('x'), points: ['SessionStart'] })).toMatch(/'deny' has no effect at SessionStart/);
    expect(await refused({ ...rule('x'), code: '() => 1' })).toMatch(/expected either/);
    expect(await refused({ ...rule('x'), stage: 'production' })).toMatch(/stage/);
    expect(await refused({ name: 'x', owner: 'ada' })).toMatch(/expected either/);
  });

  it('equals the log; a row that was written by hand is found', async () => {
    expect(await compareGuards(pool, orchestrator.store)).toEqual([]);
    const version = await add('by-hand');
    await promote('by-hand', version, 'shadow');
    await pool.query(
      `UPDATE phaseline.guards SET in_force = jsonb_set(in_force, '{0,stage}', '"production"') WHERE name = 'by-hand'`,
    );
    expect(await compareGuards(pool, orchestrator.store)).toEqual([
      'by-hand of tenant acme has other versions in shadow and production',
    ]);
    await pool.query(`DELETE FROM phaseline.guards WHERE name = 'by-hand'`).catch(() => undefined);
    await promote('by-hand', version, 'production');
    expect(await compareGuards(pool, orchestrator.store)).toEqual([]);
    await rollBack('by-hand');
  });

  it('is refused beyond the number that a phase can receive', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `limit-${index}`);
    let refused: unknown;
    for (const name of names) {
      const version = await add(name);
      await promote(name, version, 'shadow').catch((error: unknown) => (refused ??= error));
      if (refused) break;
    }
    expect(refused).toMatchObject({ code: 'request_refused', message: expect.stringContaining('at most 50') });
    const count = (await guardsOf(await submit())).filter((guard) => guard.startsWith('tenant '));
    expect(count).toHaveLength(50);
  });
});

describe('a guard of the installation', () => {
  const system = { scope: 'system' } as const;

  it('needs rights in all tenants, guards every tenant, and is visible to all', async () => {
    const guard = rule('everywhere');
    await expect(as['admin']!.guards.add({ ...system, guard })).rejects.toMatchObject({ code: 'forbidden' });
    const { version } = (await as['root']!.guards.add({ ...system, guard })).guard.newest;
    const request = { ...system, version, to: 'shadow', basis, reason: 'r' } as const;
    await backtest({ tenant: undefined, name: 'everywhere' }, version);
    await expect(as['admin']!.guards.promote('everywhere', request)).rejects.toMatchObject({ code: 'forbidden' });
    await as['second']!.guards.promote('everywhere', request);
    await as['second']!.guards.promote('everywhere', { ...request, to: 'production' });
    const list = await as['stranger']!.guards.list();
    expect(list.map(({ name }) => name)).toContain('everywhere');
    expect(list.filter(({ tenant: of }) => of === 'acme')).toEqual([]);
    expect(await guardsOf(await submit('beta'))).toEqual(['system everywhere production', 'agent own production']);
    // A guard of a tenant with the same name is asked beside it, and replaces nothing.
    const own = await as['stranger']!.guards.add({ tenant: 'beta', guard: rule('everywhere') });
    expect(own.guard).toMatchObject({ scope: 'tenant', tenant: 'beta' });
    expect(await guardsOf(await submit('beta'))).toContain('system everywhere production');
  });
});

it('what a guard decided is counted by version and outcome, for the tenants that the caller may see', async () => {
  const version = await add('counted');
  const guard = { name: 'counted', version, scope: 'tenant', kind: 'rule', stage: 'production' } as const;
  const denied = { type: 'GuardDecided', data: { point: 'PreToolUse', guard, decision: 'deny' } } as const;
  await orchestrator.inPhase(await submit(), 1, [denied, denied]);
  await orchestrator.inPhase(await submit('beta'), 1, [denied]);
  const counts = async (by: string) => (await as[by]!.guards.get('counted', { tenant })).decisions;
  await expect.poll(() => counts('approver'), { timeout: 20_000 }).toEqual([{ version, outcome: 'denied', count: 2 }]);
  await expect(as['stranger']!.guards.get('counted', { tenant })).rejects.toMatchObject({ code: 'forbidden' });
});

describe('an override', () => {
  const reason = 'test data';

  it('is for approvers of the tenant of the job, and reaches the running phase', async () => {
    const jobId = await submit();
    await expect(as['author']!.guards.override(jobId, 'own', { reason })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(as['stranger']!.guards.override(jobId, 'own', { reason })).rejects.toMatchObject({
      code: 'job_not_found',
    });
    expect(await as['approver']!.guards.override(jobId, 'own', { reason })).toMatchObject({ changed: true });
    const phase = await orchestrator.repository.loadPhase(jobId, 1);
    expect(phase!.guards.overrides).toMatchObject([{ guard: 'own', scope: 'agent', actor: 'approver', reason }]);
    expect(await as['approver']!.guards.revokeOverride(jobId, 'own', { reason })).toMatchObject({ changed: true });
    expect(await as['approver']!.guards.revokeOverride(jobId, 'own', { reason })).toMatchObject({ changed: false });
    await expect(as['approver']!.guards.override(jobId, 'absent', { reason })).rejects.toMatchObject({
      code: 'guard_not_found',
      message: expect.stringContaining('own (agent)'),
    });
    await expect(
      as['approver']!.guards.override(jobId, 'own', { reason, expiresInMs: 86_400_001 }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('of a guard of the installation is for administrators', async () => {
    const jobId = await submit();
    const override = (by: string) => as[by]!.guards.override(jobId, 'everywhere', { reason, scope: 'system' });
    await expect(override('approver')).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('guards:override-system'),
    });
    expect(await override('admin')).toMatchObject({ changed: true });
  });
});
