import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const ADMIN_KEY = 'key-of-the-administrator-0123';
let orchestrator: OrchestratorForSpecs;
let admin: PhaselineClient;
const clientWith = (apiKey: string): PhaselineClient =>
  new PhaselineClient({ baseUrl: orchestrator.url, apiKey, retries: 0 });

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: `root=${ADMIN_KEY}` });
  admin = clientWith(ADMIN_KEY);
});
afterAll(() => orchestrator.stop());

/** Creates a principal with roles and a key, and returns a client with the key. */
async function createCaller(
  id: string,
  roles: readonly (readonly [role: string, tenant: string])[],
  limits: { readonly rights?: string[]; readonly tenants?: string[] } = {},
): Promise<PhaselineClient> {
  await admin.principals.create({ id, kind: 'person' });
  for (const [role, tenant] of roles) await admin.principals.grant(id, { role, tenant });
  const { key } = await admin.keys.create({ principal: id, ...limits });
  return clientWith(key);
}

const tenantOf = async (jobId: JobId): Promise<string | undefined> =>
  (await orchestrator.repository.loadJob(jobId))?.submitted.tenant;

const rightsOf = async (client: PhaselineClient): Promise<ReadonlyMap<string, unknown>> =>
  new Map((await client.whoAmI()).rights.map(({ right, tenants }) => [right, tenants]));

describe('a principal', () => {
  it('is created, gets and loses roles, and is disabled and enabled; each change is an event of the caller', async () => {
    await admin.principals.create({ id: 'ada', kind: 'person' });
    await admin.principals.grant('ada', { role: 'operator', tenant: 'acme' });
    await admin.principals.grant('ada', { role: 'auditor', tenant: '*' });
    await admin.principals.revoke('ada', { role: 'auditor', tenant: '*' });
    const disabled = await admin.principals.disable('ada', { reason: 'on leave' });
    expect(disabled).toMatchObject({ disabledAt: expect.any(String), createdBy: 'root' });
    const enabled = await admin.principals.enable('ada');
    expect(enabled).toMatchObject({ id: 'ada', roles: [{ role: 'operator', tenant: 'acme', grantedBy: 'root' }] });
    expect(enabled).not.toHaveProperty('disabledAt');
    expect(await admin.principals.get('ada')).toEqual(enabled);
    expect(await admin.principals.list()).toContainEqual(enabled);
    const events = await orchestrator.store.read('principal-ada');
    expect(events.map(({ type }) => type)).toEqual([
      ...['PrincipalCreated', 'RoleGranted', 'RoleGranted', 'RoleRevoked', 'PrincipalDisabled', 'PrincipalEnabled'],
    ]);
    for (const { metadata } of events) expect(metadata).toMatchObject({ actor: { id: 'root', kind: 'service' } });
  });

  it('with a wrong id, role or tenant is refused, and the message says what is possible', async () => {
    await expect(admin.principals.create({ id: 'a b', kind: 'person' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    for (const id of ['local', 'queue', 'timer', 'retention', 'root'])
      await expect(admin.principals.create({ id, kind: 'person' })).rejects.toMatchObject({ code: 'principal_exists' });
    await expect(admin.principals.create({ id: 'ada', kind: 'service' })).rejects.toMatchObject({
      code: 'principal_exists',
    });
    await expect(admin.principals.grant('ada', { role: 'boss', tenant: '*' })).rejects.toThrow(/viewer, operator/);
    await expect(admin.principals.grant('ada', { role: 'viewer', tenant: 'a*' })).rejects.toThrow(/or \* for all/);
    for (const change of ['disable', 'enable'] as const)
      await expect(admin.principals[change]('zoe')).rejects.toMatchObject({ code: 'principal_not_found' });
  });

  it('of another tenant is not seen by an auditor of one tenant, nor are its roles and keys there', async () => {
    const auditor = await createCaller('audrey', [['auditor', 'acme']]);
    await createCaller('bert', [['operator', 'beta']]);
    const both = await createCaller('cleo', [
      ['operator', 'acme'],
      ['operator', 'beta'],
    ]);
    await admin.keys.create({ principal: 'cleo', tenants: ['beta'], label: 'only for beta' });
    const { id } = await both.whoAmI();
    const seen = await auditor.principals.list();
    expect(seen.map((principal) => principal.id)).toEqual(['ada', 'audrey', id]);
    expect(await auditor.principals.get(id)).toMatchObject({ roles: [{ tenant: 'acme' }], keys: [{ label: '' }] });
    expect(JSON.stringify([seen, await auditor.keys.list()])).not.toContain('beta');
    const hidden = await auditor.principals.get('bert').catch((error: Error) => error.message);
    const missing = await auditor.principals.get('nora').catch((error: Error) => error.message);
    expect(hidden).toBe(String(missing).replace('nora', 'bert'));
    await expect(auditor.principals.grant('ada', { role: 'viewer', tenant: 'acme' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('a key', () => {
  it('is shown once, expires after 90 days by default, and is found by its prefix', async () => {
    const created = await admin.keys.create({ principal: 'ada', label: 'laptop' });
    expect(created).toMatchObject({ principal: 'ada', label: 'laptop', status: 'active', createdBy: 'root' });
    expect(created.key).toMatch(new RegExp(`^plk_${created.prefix}_`));
    const days = (Date.parse(created.expiresAt!) - Date.parse(created.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    const { key, ...stored } = created;
    expect(await admin.keys.list({ prefix: created.prefix.slice(0, 7) })).toEqual([stored]);
    expect(await admin.keys.list({ principal: 'ada' })).toEqual([stored]);
    expect(JSON.stringify(await admin.principals.list())).not.toContain(key.slice(`plk_${created.prefix}_`.length));
    expect(await clientWith(key).whoAmI()).toMatchObject({
      id: 'ada',
      kind: 'person',
      authentication: { method: 'key', prefix: created.prefix, expiresAt: created.expiresAt },
      roles: [{ role: 'operator', tenant: 'acme' }],
    });
  });

  it('narrows the rights of its principal', async () => {
    const narrow = await createCaller('nina', [['operator', '*']], { rights: ['jobs:read'], tenants: ['acme'] });
    expect([...(await rightsOf(narrow))]).toEqual([['jobs:read', ['acme']]]);
    await expect(narrow.submit({ agent: 'writer', tenant: 'acme' })).rejects.toMatchObject({ code: 'forbidden' });
    // A session would have all rights of its principal.
    await expect(narrow.createLoginLink()).rejects.toMatchObject({ code: 'request_refused' });
  });

  it('is refused after it was revoked', async () => {
    const { key, prefix } = await admin.keys.create({ principal: 'ada' });
    const client = clientWith(key);
    await client.whoAmI();
    expect(await admin.keys.revoke(prefix, { reason: 'lost' })).toMatchObject({ prefix, status: 'revoked' });
    await expect
      .poll(() => client.whoAmI().catch((error: unknown) => error), { timeout: 20_000 })
      .toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('revoked'),
      });
    await expect(admin.keys.revoke('00000000')).rejects.toMatchObject({ code: 'key_not_found' });
    await expect(admin.keys.revoke('nonsense')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['an unknown right', { rights: ['jobs:fly'] }, 'expected some of jobs:read'],
    ['a right that its principal lacks', { rights: ['audit:read'] }, 'Grant a role with it first'],
    ['a tenant in which its principal has no role', { tenants: ['beta'] }, 'Grant one first'],
    ['a time in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expected a time in the future'],
    ['a time in the far future', { expiresAt: '2999-01-01T00:00:00Z' }, 'at most 2 years'],
  ])('with %s is refused', async (_what, limits, reason) => {
    await expect(admin.keys.create({ principal: 'ada', ...limits })).rejects.toThrow(reason);
  });

  it('of a principal with a right that the caller lacks is not handed out', async () => {
    await createCaller('olga', [['admin', '*']]);
    const deputy = await createCaller('paul', [['admin', '*']], {
      rights: ['keys:manage', 'principals:manage', 'jobs:read', 'files:read'],
      tenants: ['*'],
    });
    await expect(deputy.keys.create({ principal: 'olga' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(deputy.keys.create({ principal: 'paul' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(deputy.principals.grant('paul', { role: 'operator', tenant: 'acme' })).rejects.toThrow(
      /You lack the right/,
    );
    expect(await deputy.keys.create({ principal: 'olga', rights: ['jobs:read'] })).toMatchObject({
      rights: ['jobs:read'],
      createdBy: 'paul',
    });
  });
});

describe('the caller', () => {
  it('is described with the principal for whom it acts, and only the rights that both have', async () => {
    const robot = await createCaller('robot', [
      ['delegate', 'acme'],
      ['operator', 'acme'],
    ]);
    const key = (await admin.keys.create({ principal: 'robot' })).key;
    await admin.principals.create({ id: 'rita', kind: 'person' });
    await admin.principals.grant('rita', { role: 'viewer', tenant: 'acme' });
    const acting = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, onBehalfOf: 'rita', retries: 0 });
    expect((await rightsOf(robot)).get('jobs:submit')).toEqual(['acme']);
    expect(await acting.whoAmI()).toMatchObject({ id: 'robot', onBehalfOf: { id: 'rita', kind: 'person' } });
    expect((await rightsOf(acting)).get('jobs:read')).toEqual(['acme']);
    expect((await rightsOf(acting)).has('jobs:submit')).toBe(false);
    await admin.principals.disable('rita');
    await expect(acting.whoAmI()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('with a configured key is told so', async () => {
    expect(await admin.whoAmI()).toMatchObject({ id: 'root', authentication: { method: 'configured-key' } });
    expect((await rightsOf(admin)).get('principals:manage')).toBe('all');
  });
});

describe('a tenant that is not named', () => {
  it('is the only one in which the caller may submit', async () => {
    const bound = await createCaller('tom', [['operator', 'acme']]);
    for (const encrypt of [false, true]) {
      const submitted = bound.submit({ agent: 'writer', idempotencyKey: `tom-${encrypt}`, encrypt });
      if (encrypt) await expect(submitted).rejects.toMatchObject({ code: 'encryption_unavailable' });
      else expect(await tenantOf((await submitted).jobId)).toBe('acme');
    }
    expect(await bound.secrets.list()).toEqual([]);
    await expect(bound.submit({ agent: 'writer', tenant: 'beta' })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('must be named by a caller with several, and is "default" for one who may use it', async () => {
    const several = await createCaller('uma', [
      ['operator', 'acme'],
      ['operator', 'beta'],
    ]);
    await expect(several.submit({ agent: 'writer' })).rejects.toThrow(/jobs:submit: acme, beta/);
    const wide = await createCaller('vera', [
      ['operator', 'acme'],
      ['operator', 'default'],
    ]);
    expect(await tenantOf((await wide.submit({ agent: 'writer' })).jobId)).toBe('default');
  });
});

describe('tenants', () => {
  it('are read one by one by callers with a role there', async () => {
    const viewer = await createCaller('will', [['viewer', 'quiet']]);
    expect(await viewer.tenants.get('quiet')).toMatchObject({ tenant: 'quiet', runningPhases: 0, waitingJobs: 0 });
    await expect(viewer.tenants.get('acme')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
