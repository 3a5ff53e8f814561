import { EVENT_STREAM_MEDIA_TYPE } from '@phaseline/client';
import { ALL_TENANTS, rightDefinitions, roleDefinitions, type Caller, type Right } from '@phaseline/identity';
import { probeRequirements } from '@phaseline/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OrchestratorModule } from '../orchestrator.module.js';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { buildRequest, namesTenant, sendRequest, type SeenResponse } from '../testing/route-requests.js';
import { startTwoTenants, type TenantThings, type TwoTenants } from '../testing/two-tenants.js';
import { listDeclaredRoutes } from './list-declared-routes.js';
import type { Requirement } from './requires.js';

type Role = keyof typeof roleDefinitions;
const roles = Object.keys(roleDefinitions) as readonly Role[];

interface Grant {
  readonly role: Role;
  readonly tenant: string;
}
interface MatrixCaller {
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly limits?: Caller['limits'];
}

const declared: ReadonlyMap<string, Requirement | undefined> = new Map([
  ...listDeclaredRoutes(OrchestratorModule).map(
    ({ method, path, requires }) => [`${method} ${path}`, requires] as const,
  ),
  ...Object.entries(probeRequirements).map(([path, requires]) => [`GET ${path}`, requires] as const),
]);

let subject: TwoTenants;
beforeAll(async () => {
  subject = await startTwoTenants();
});
afterAll(() => subject?.stop());

/** Every role in the tenant, in another one and in all, none at all, two roles, and keys that allow less than their principals. */
function listCallers(own: string, other: string): readonly MatrixCaller[] {
  const everywhere: readonly Grant[] = [{ role: 'admin', tenant: ALL_TENANTS }];
  return [
    ...roles.flatMap((role) =>
      [own, other, ALL_TENANTS].map((tenant) => ({ name: `${role} of ${tenant}`, grants: [{ role, tenant }] })),
    ),
    { name: 'no role', grants: [] },
    {
      name: 'viewer of one tenant, admin of the other',
      grants: [
        { role: 'viewer', tenant: own },
        { role: 'admin', tenant: other },
      ],
    },
    { name: 'admin, with a key for one tenant', grants: everywhere, limits: { tenants: [own] } },
    { name: 'admin, with a key for one right', grants: everywhere, limits: { rights: ['files:read'] } },
  ];
}

/** Whether a caller has a right in a tenant, from the tables of roles and rights alone. */
function isAllowed({ grants, limits }: MatrixCaller, right: Right, tenant: string): boolean {
  const place = rightDefinitions[right].scope === 'system' ? ALL_TENANTS : tenant;
  if (limits?.rights && !limits.rights.includes(right)) return false;
  if (limits?.tenants && !limits.tenants.includes(place)) return false;
  return grants.some(
    (grant) =>
      (roleDefinitions[grant.role].rights as readonly Right[]).includes(right) &&
      (grant.tenant === ALL_TENANTS || grant.tenant === place),
  );
}

type Expected = 'served' | 'forbidden' | 'like a missing one';

function expectOutcome(
  route: string,
  caller: MatrixCaller,
  { tenant }: TenantThings,
  tenants: readonly string[],
): Expected {
  const required = declared.get(route);
  if (required === undefined) return 'forbidden';
  if (required === 'anyone' || required === 'any-caller') return 'served';
  if (!tenants.some((one) => isAllowed(caller, required, one))) return 'forbidden';
  if (rightDefinitions[required].scope === 'system') return 'served';
  const hasJob = route.includes(':jobId');
  if (!hasJob && !namesTenant(route) && !/:(?:id|prefix|principalId)\b/.test(route)) return 'served';
  if (isAllowed(caller, required, tenant)) return 'served';
  if (namesTenant(route)) return 'forbidden';
  return hasJob && isAllowed(caller, 'jobs:read', tenant) ? 'forbidden' : 'like a missing one';
}

/** A response without the ids and names that its request contained. */
function withoutNames({ status, text }: SeenResponse, things: TenantThings): string {
  // The longest first, because some names contain others.
  const names = Object.values(things)
    .filter((value) => value.length > 3)
    .toSorted((a, b) => b.length - a.length);
  return names.reduce(
    (all, name) => all.replaceAll(name, '…').replaceAll(encodeURIComponent(name), '…'),
    `${status} ${text}`,
  );
}

describe('the routes', () => {
  it('declare the right that they need, and each declaration has a route', () => {
    const served = new Set(
      subject.orchestrator.routes.filter((route) => !route.startsWith('HEAD ') && !route.startsWith('OPTIONS ')),
    );
    expect([...served].sort()).toEqual([...declared.keys()].sort());
    expect([...declared].filter(([, requires]) => requires === undefined)).toEqual([]);
  });

  it('answer no request without a key, except those that declare it', async () => {
    const wrong: unknown[] = [];
    for (const [route, requires] of declared) {
      const { status } = await sendRequest(subject.orchestrator, buildRequest(route, subject.own), undefined);
      if ((status === 401) !== (requires !== 'anyone')) wrong.push([route, requires, status]);
    }
    expect(wrong).toEqual([]);
  });
});

describe('the matrix of roles, routes and tenants', () => {
  const places = ['own', 'other'] as const;

  it('serves what a role contains, refuses the rest, and answers for other tenants as for what does not exist', async () => {
    const { own, other, missing, orchestrator } = subject;
    const tenants = [own.tenant, other.tenant, ALL_TENANTS];
    const wrong: unknown[] = [];
    const seen = { served: 0, forbidden: 0, 'like a missing one': 0 };
    for (const caller of listCallers(own.tenant, other.tenant)) {
      const { key } = await subject.createCaller(caller.grants, caller.limits);
      for (const route of declared.keys())
        for (const place of places) {
          const expected = expectOutcome(route, caller, subject[place], tenants);
          const response = await sendRequest(orchestrator, buildRequest(route, subject[place]), key);
          seen[expected] += 1;
          const problem = await describeProblem(response, expected, async () =>
            expected === 'like a missing one'
              ? withoutNames(response, subject[place]) ===
                withoutNames(await sendRequest(orchestrator, buildRequest(route, missing), key), missing)
              : true,
          );
          if (problem) wrong.push([caller.name, route, place, expected, response.status, response.code]);
        }
    }
    expect(wrong).toEqual([]);
    // Each outcome is part of the matrix.
    expect(Object.values(seen).every((count) => count > 100)).toBe(true);
  }, 600_000);

  it('applies to streams, HEAD, and the second job of a comparison', async () => {
    const { own, other, missing, orchestrator } = subject;
    const { key } = await subject.createCaller([{ role: 'viewer', tenant: own.tenant }]);
    const stream = (things: TenantThings) =>
      sendRequest(
        orchestrator,
        { ...buildRequest('GET /v1/jobs/:jobId/events', things), headers: { accept: EVENT_STREAM_MEDIA_TYPE } },
        key,
      );
    expect((await stream(own)).status).toBe(200);
    expect(withoutNames(await stream(other), other)).toBe(withoutNames(await stream(missing), missing));
    const head = async (things: TenantThings): Promise<number> =>
      (await sendRequest(orchestrator, { ...buildRequest('GET /v1/jobs/:jobId', things), method: 'HEAD' }, key)).status;
    expect([await head(own), await head(other), await head(missing)]).toEqual([200, 404, 404]);
    const compare = (second: TenantThings) =>
      sendRequest(
        orchestrator,
        { method: 'GET', path: `/v1/jobs/${own.jobId}/compare/${second.jobId}`, headers: {}, body: undefined },
        key,
      );
    expect((await compare(own)).status).toBe(200);
    expect(withoutNames(await compare(other), other)).toBe(withoutNames(await compare(missing), missing));
  });

  it('hides an encrypted job like any other, also from a server that cannot decrypt it, and after its erasure', async () => {
    const { own, other, missing, orchestrator } = subject;
    const { key } = await subject.createCaller([{ role: 'viewer', tenant: own.tenant }]);
    const admin = await subject.createCaller([{ role: 'admin', tenant: other.tenant }]);
    const authorization = `Bearer ${admin.key}`;
    const send = async (path: string, body: object) =>
      (await orchestrator.json(path, post(body, { authorization }))).body;
    const { jobId } = await send('/v1/jobs', { agent: 'writer', encrypt: true });
    const encrypted = { ...other, jobId: String(jobId) };
    const keyless = await startOrchestrator({}, { beside: orchestrator });
    const isHidden = async (server: OrchestratorForSpecs): Promise<boolean> => {
      const request = (things: TenantThings) => buildRequest('GET /v1/jobs/:jobId/state', things);
      const hidden = withoutNames(await sendRequest(server, request(encrypted), key), encrypted);
      return hidden === withoutNames(await sendRequest(server, request(missing), key), missing);
    };
    try {
      expect([await isHidden(orchestrator), await isHidden(keyless)]).toEqual([true, true]);
      await send(`/v1/jobs/${encrypted.jobId}/cancel`, {});
      await expect
        .poll(async () => (await send(`/v1/jobs/${encrypted.jobId}/erase`, {}))['changed'], { timeout: 60_000 })
        .toBe(true);
      expect([await isHidden(orchestrator), await isHidden(keyless)]).toEqual([true, true]);
    } finally {
      await keyless.stop();
    }
  });

  it('needs the rights of both when one principal acts for another', async () => {
    const { own, other, orchestrator } = subject;
    const person = await subject.createCaller([{ role: 'viewer', tenant: own.tenant }]);
    const service = await subject.createCaller([
      { role: 'delegate', tenant: own.tenant },
      { role: 'operator', tenant: ALL_TENANTS },
    ]);
    const send = async (route: string, things: TenantThings, key = service.key): Promise<number> => {
      const request = buildRequest(route, things);
      const headers = { ...request.headers, 'on-behalf-of': person.id };
      return (await sendRequest(orchestrator, { ...request, headers }, key)).status;
    };
    expect(await send('GET /v1/jobs/:jobId', own)).toBe(200);
    expect(await send('GET /v1/jobs/:jobId', other)).toBe(404);
    expect(await send('POST /v1/jobs/:jobId/pause', own)).toBe(403);
    expect(await send('GET /v1/queues', own)).toBe(403);
    // Without the role "delegate" nobody acts for another.
    expect(await send('GET /v1/jobs/:jobId', own, person.key)).toBe(403);
  });
});

async function describeProblem(
  { status, code }: SeenResponse,
  expected: Expected,
  equalsMissing: () => Promise<boolean>,
): Promise<boolean> {
  switch (expected) {
    case 'served':
      return status === 401 || status === 403 || code === 'job_not_found' || status >= 500;
    case 'forbidden':
      return status !== 403 || code !== 'forbidden';
    case 'like a missing one':
      return status !== 404 || !(await equalsMissing());
  }
}
