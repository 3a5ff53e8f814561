import { PhaselineClient } from '@phaseline/client';
import { Principals, type Caller } from '@phaseline/identity';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../../testing/orchestrator-for-specs.js';
import { MAX_SIGN_INS_PER_MINUTE } from './open-id-sign-in.js';
import {
  BrowserForSpecs,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type ProviderForSpecs,
} from './openid-provider.fixture.js';

/** Where the provider sends browsers; the spec passes such requests on to the service under test. */
const PUBLIC_URL = 'http://127.0.0.1:9';
const KEY = 'key-of-the-spec-0123456789';
const admin: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

let provider: ProviderForSpecs;
let orchestrator: OrchestratorForSpecs;
let principals: Principals;
let pool: ReturnType<typeof createPool>;

const settings = (): Record<string, string> => ({
  PHASELINE_PUBLIC_URL: PUBLIC_URL,
  PHASELINE_API_KEYS: `configured=${KEY}`,
  PHASELINE_OIDC_ISSUER: provider.issuer,
  PHASELINE_OIDC_CLIENT_ID: CLIENT_ID,
  PHASELINE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  PHASELINE_OIDC_CREATE_PRINCIPALS: '1',
  PHASELINE_OIDC_ROLES_CLAIM: 'groups',
  PHASELINE_OIDC_ROLES: 'dev=operator,readers=viewer@beta,admins=admin@*',
  PHASELINE_OIDC_TENANT_CLAIM: 'org_id',
  PHASELINE_OIDC_TENANTS: 'org-1=acme,org-2=beta,hq=*',
});

beforeAll(async () => {
  provider = await startProvider(`${PUBLIC_URL}/login/openid/callback`);
  orchestrator = await startOrchestrator(settings());
  pool = createPool(orchestrator.databaseUrls.service);
  principals = new Principals(pool, orchestrator.store);
});
afterAll(async () => {
  await pool?.end();
  await orchestrator?.stop();
  await provider?.close();
});
beforeEach(() => {
  provider.tamper = (claims) => claims;
  provider.replace = (token) => token;
});

/** Moves a URL of the public address to the service under test. */
function toService(url: URL, service = orchestrator): string {
  return url.href.replace(PUBLIC_URL, service.url);
}

/** Signs in at the provider, and returns the URL to which it sends the browser. */
async function goToProvider(browser: BrowserForSpecs, service = orchestrator): Promise<string> {
  const { url } = await browser.follow(`${service.url}/login/openid`, ({ origin }) => origin === PUBLIC_URL);
  return toService(url, service);
}

async function signIn(person: string, browser = new BrowserForSpecs(), service = orchestrator) {
  provider.person = person;
  const response = await browser.get(await goToProvider(browser, service));
  const cookie = browser.cookie(service.url, 'phaseline');
  return { status: response.status, page: await response.text(), cookie, browser, response };
}

const api = (path: string, cookie: string): Promise<Response> =>
  fetch(`${orchestrator.url}${path}`, { headers: { cookie: `phaseline=${cookie}` } });
const submit = (cookie: string, tenant: string): Promise<Response> =>
  fetch(`${orchestrator.url}/v1/jobs`, {
    method: 'POST',
    headers: { cookie: `phaseline=${cookie}`, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ agent: 'writer', instructions: 'Write.', tenant }),
  });
const rolesOf = async (id: string): Promise<readonly string[]> =>
  (await principals.get(id)).roles.map(({ role, tenant }) => `${role}@${tenant}`);

describe('an account of the provider', () => {
  it('gets a principal at its first sign-in, with the roles of its groups in the tenants of its organisation', async () => {
    provider.accounts['ada-1'] = { preferred_username: 'ada', groups: ['dev', 'readers', 'other'], org_id: 'org-1' };
    const { status, page, cookie, response } = await signIn('ada-1');
    expect({ status, page }).toMatchObject({ status: 200, page: expect.stringContaining('Signed in as ada') });
    expect(page).toContain('url=/');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.getSetCookie()[0]).toMatch(/^phaseline=pls_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    // `readers` names the tenant beta, which is not one of its organisation.
    expect(await rolesOf('ada')).toEqual(['operator@acme']);
    expect((await submit(cookie!, 'acme')).status).toBe(201);
    expect((await submit(cookie!, 'beta')).status).toBe(403);
    const events = await orchestrator.store.read('principal-ada');
    expect(events.map(({ type }) => type)).toEqual([
      'PrincipalCreated',
      'IdentityLinked',
      'RoleGranted',
      'SessionStarted',
    ]);
    expect(events[0]).toMatchObject({ metadata: { actor: { id: 'openid-connect' } } });
    expect(events[3]).toMatchObject({
      data: { method: 'openid-connect' },
      metadata: { actor: { id: 'ada', kind: 'person' } },
    });
    expect(await principals.get('ada')).toEqual(await principals.fold('ada'));
  });

  it('is the same principal the next time, also under another name', async () => {
    provider.accounts['kim-1'] = { preferred_username: 'kim', groups: ['dev'], org_id: 'org-1' };
    await signIn('kim-1');
    provider.accounts['kim-1'] = { preferred_username: 'kim-renamed', groups: ['dev'], org_id: 'org-1' };
    expect((await signIn('kim-1')).page).toContain('Signed in as kim<');
    expect((await orchestrator.store.read('principal-kim')).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['SessionStarted']),
    );
    await expect(principals.get('kim-renamed')).rejects.toMatchObject({ code: 'principal_not_found' });
  });

  it('loses a role with its group, and keeps what a person granted', async () => {
    provider.accounts['lea-1'] = { preferred_username: 'lea', groups: ['dev', 'admins'], org_id: 'hq' };
    await signIn('lea-1');
    expect(await rolesOf('lea')).toEqual(['admin@*', 'operator@*']);
    await principals.grant(admin, 'lea', 'viewer', 'beta');
    provider.accounts['lea-1'] = { preferred_username: 'lea', groups: ['dev'], org_id: 'org-1' };
    await signIn('lea-1');
    expect(await rolesOf('lea')).toEqual(['viewer@beta', 'operator@acme']);
  });

  it('loses a revoked role in the sessions that it has', async () => {
    provider.accounts['max-1'] = { preferred_username: 'max', groups: ['dev'], org_id: 'org-1' };
    const { cookie } = await signIn('max-1');
    expect((await submit(cookie!, 'acme')).status).toBe(201);
    await principals.revokeRole(admin, 'max', 'operator', 'acme');
    await expect.poll(async () => (await submit(cookie!, 'acme')).status).toBe(403);
    await principals.disable(admin, 'max', 'left');
    await expect.poll(async () => (await api('/v1/jobs', cookie!)).status).toBe(401);
    expect(await signIn('max-1')).toMatchObject({ status: 403, page: expect.stringContaining('is disabled') });
  });

  it('without a role gets no session, and is told whom to ask', async () => {
    provider.accounts['new-1'] = { preferred_username: 'new', groups: [], org_id: 'org-1' };
    const { status, page, cookie } = await signIn('new-1');
    expect({ status, cookie }).toEqual({ status: 403, cookie: undefined });
    expect(page).toMatch(/You have no role here\..*You are new\./);
    await principals.grant(admin, 'new', 'viewer', 'acme');
    expect((await signIn('new-1')).status).toBe(200);
  });

  it.each([
    ['an organisation that no setting names, although it has the name of a tenant', 'acme'],
    ['an organisation named as a member of every object', 'constructor'],
    ['no organisation', undefined],
    ['an organisation that is no text', { id: 'org-1' }],
  ])('of %s gets no role', async (what, organisation) => {
    const person = `org-${what.length}`;
    provider.accounts[person] = {
      preferred_username: person,
      groups: ['dev', 'admins', 'readers'],
      org_id: organisation,
    };
    expect(await signIn(person)).toMatchObject({ status: 403, cookie: undefined });
    expect(await rolesOf(person)).toEqual([]);
  });

  it.each([
    ['the name of a configured key', 'configured', 'no name that can be used'],
    ['a reserved name', 'openid-connect', 'no name that can be used'],
    ['a name with a slash', 'a/b', 'no name that can be used'],
    ['no name', undefined, 'no name that can be used'],
    ['the name of another principal', 'taken', 'already a principal with your name'],
  ])('with %s gets no principal', async (_, name, message) => {
    await principals.create(admin, 'taken', 'person').catch(() => undefined);
    provider.accounts['evil-1'] = { preferred_username: name, groups: ['dev'], org_id: 'org-1' };
    expect(await signIn('evil-1')).toMatchObject({
      status: 403,
      cookie: undefined,
      page: expect.stringContaining(message),
    });
  });

  it('can be linked to a principal by an administrator, and only to one', async () => {
    await principals.create(admin, 'pat', 'person');
    await principals.grant(admin, 'pat', 'viewer', 'acme');
    await principals.link(admin, 'pat', { issuer: provider.issuer, subject: 'pat-1' });
    await principals.create(admin, 'quinn', 'person');
    await expect(principals.link(admin, 'quinn', { issuer: provider.issuer, subject: 'pat-1' })).rejects.toMatchObject({
      code: 'identity_taken',
    });
    expect((await signIn('pat-1')).page).toContain('Signed in as pat<');
    expect(await principals.get('pat')).toEqual(await principals.fold('pat'));
  });

  it('is linked once, also if two administrators link it to different principals at the same time', async () => {
    const account = { issuer: provider.issuer, subject: 'twin-1' };
    const ids = ['twin-a', 'twin-b', 'twin-c', 'twin-d'];
    for (const id of ids) await principals.create(admin, id, 'person');
    const results = await Promise.allSettled(ids.map((id) => principals.link(admin, id, account)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'identity_taken' });
    const linked = await Promise.all(ids.map(async (id) => (await principals.get(id)).identities.length));
    expect(linked.toSorted()).toEqual([0, 0, 0, 1]);
  });

  it('of the configured provider is linked and unlinked over HTTP, which ends its sessions and the roles that it gave', async () => {
    const client = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: KEY, retries: 0 });
    await client.principals.create({ id: 'uma', kind: 'person' });
    await client.principals.grant('uma', { role: 'viewer', tenant: 'beta' });
    const linked = await client.principals.link('uma', { subject: 'uma-1' });
    expect(linked.accounts).toMatchObject([{ issuer: provider.issuer, subject: 'uma-1', linkedBy: 'configured' }]);
    // Linking it again changes nothing, also if the URL is written with a slash at its end.
    expect(await client.principals.link('uma', { subject: 'uma-1', issuer: `${provider.issuer}/` })).toEqual(linked);
    provider.accounts['uma-1'] = { preferred_username: 'uma', groups: ['dev'], org_id: 'org-1' };
    const { cookie, page } = await signIn('uma-1');
    expect(page).toContain('Signed in as uma<');
    expect((await api('/v1/jobs', cookie!)).status).toBe(200);
    await client.principals.create({ id: 'vic', kind: 'person' });
    await expect(client.principals.link('vic', { subject: 'uma-1' })).rejects.toMatchObject({ code: 'identity_taken' });
    await expect(client.principals.unlink('vic', { subject: 'uma-1' })).rejects.toMatchObject({
      ...{ code: 'request_refused', message: expect.stringContaining('principals show vic') },
    });
    const unlinked = await client.principals.unlink('uma', { subject: 'uma-1', reason: 'left' });
    expect(unlinked).toMatchObject({
      accounts: [],
      roles: [{ role: 'viewer', tenant: 'beta', grantedBy: 'configured' }],
    });
    expect(unlinked.roles).toHaveLength(1);
    expect((await api('/v1/jobs', cookie!)).status).toBe(401);
    const events = await orchestrator.store.read('principal-uma');
    expect(events.filter(({ type }) => type === 'IdentityUnlinked')).toMatchObject([
      { data: { subject: 'uma-1', reason: 'left' }, metadata: { actor: { id: 'configured', kind: 'service' } } },
    ]);
    expect(await principals.get('uma')).toEqual(await principals.fold('uma'));
    expect(await signIn('uma-1')).toMatchObject({ status: 403, cookie: undefined });
    // The account can now be that of another principal.
    expect((await client.principals.link('vic', { subject: 'uma-1' })).accounts).toHaveLength(1);
  });

  it.each([
    ['a subject with a line break', { subject: 'a\nb' }, 'subject'],
    ['an empty subject', { subject: '' }, 'subject'],
    ['an issuer that is no URL', { subject: 'a', issuer: 'login.example.org' }, 'issuer'],
  ])('is not linked with %s', async (_, request, path) => {
    const client = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: KEY, retries: 0 });
    await expect(client.principals.link('configured', request)).rejects.toMatchObject({
      ...{ code: 'invalid_request', errors: [expect.objectContaining({ path })] },
    });
  });
});

describe('an answer of the provider', () => {
  beforeEach(() => {
    provider.accounts['ada-1'] = { preferred_username: 'ada', groups: ['dev'], org_id: 'org-1' };
    provider.person = 'ada-1';
  });

  const readLastFailure = (): string | undefined =>
    orchestrator
      .log()
      .split('\n')
      .findLast((line) => line.includes('a sign-in failed'));

  const expectRejected = async (browser: BrowserForSpecs, url: string, code: string): Promise<void> => {
    const response = await browser.get(url);
    const page = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(page).not.toMatch(/\bat \w+ \(|node_modules|Error:/);
    expect(browser.cookie(orchestrator.url, 'phaseline')).toBeUndefined();
    expect(readLastFailure()).toContain(code);
  };

  it.each<[string, string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['with another nonce', 'nonce', (claims) => ({ ...claims, nonce: 'of-another-sign-in' })],
    ['without a nonce', 'nonce', ({ nonce: _, ...claims }) => claims],
    ['for another audience', 'aud', (claims) => ({ ...claims, aud: 'another-client' })],
    [
      'for several audiences, of which another is authorised',
      'azp',
      (claims) => ({ ...claims, aud: [CLIENT_ID, 'b'], azp: 'b' }),
    ],
    ['of another issuer', 'iss', (claims) => ({ ...claims, iss: 'https://login.example.com' })],
    ['that has expired', 'exp', (claims) => ({ ...claims, exp: 1_000_000_000 })],
  ])('%s is rejected', async (_, claim, tamper) => {
    provider.tamper = tamper;
    const browser = new BrowserForSpecs();
    await expectRejected(browser, await goToProvider(browser), 'answer_rejected');
    expect(readLastFailure()).toContain(`\\"${claim}\\"`);
  });

  it('with a signature of another key, or with none, is rejected', async () => {
    for (const replace of [
      (token: string) => `${token.slice(0, -8)}AAAAAAAA`,
      (token: string) =>
        `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${token.split('.')[1]}.`,
    ]) {
      provider.replace = replace;
      const browser = new BrowserForSpecs();
      await expectRejected(browser, await goToProvider(browser), 'answer_rejected');
    }
  });

  it('that was made for an earlier sign-in is rejected', async () => {
    const tokens: string[] = [];
    provider.replace = (token) => (tokens.push(token), tokens[0]!);
    expect((await signIn('ada-1')).status).toBe(200);
    const browser = new BrowserForSpecs();
    await expectRejected(browser, await goToProvider(browser), 'answer_rejected');
    expect(tokens).toHaveLength(2);
  });

  it('is used once: the same URL again, and its code in another sign-in, are rejected', async () => {
    const browser = new BrowserForSpecs();
    const url = await goToProvider(browser);
    expect((await browser.get(url)).status).toBe(200);
    const thief = new BrowserForSpecs();
    await expectRejected(thief, url, 'attempt_unknown');
    const other = new URL(await goToProvider(thief));
    other.searchParams.set('code', new URL(url).searchParams.get('code')!);
    await expectRejected(thief, other.href, 'answer_rejected');
  });

  it('is for the browser that began: another one, or a changed state, is rejected', async () => {
    const attacker = new BrowserForSpecs();
    const url = await goToProvider(attacker);
    const victim = new BrowserForSpecs();
    await victim.get(`${orchestrator.url}/login/openid`);
    await expectRejected(victim, url, 'attempt_unknown');
    const browser = new BrowserForSpecs();
    const changed = new URL(await goToProvider(browser));
    changed.searchParams.set('state', 'of-the-attacker');
    await expectRejected(browser, changed.href, 'attempt_unknown');
    await expectRejected(browser, `${orchestrator.url}/login/openid/callback`, 'attempt_unknown');
  });

  it('from another issuer than the one that was asked is rejected', async () => {
    const browser = new BrowserForSpecs();
    const url = new URL(await goToProvider(browser));
    expect(url.searchParams.get('iss')).toBe(provider.issuer);
    url.searchParams.set('iss', 'https://login.example.com');
    await expectRejected(browser, url.href, 'answer_rejected');
  });

  it('that refuses the person says so', async () => {
    provider.person = 'nobody';
    const browser = new BrowserForSpecs();
    await expectRejected(browser, await goToProvider(browser), 'provider_refused');
  });
});

it('no log contains a code, a token, or the secret of the client', async () => {
  const browser = new BrowserForSpecs();
  provider.person = 'ada-1';
  const tokens: string[] = [];
  provider.replace = (token) => (tokens.push(token), `${token.slice(0, -8)}AAAAAAAA`);
  const url = new URL(await goToProvider(browser));
  const attempt = browser.cookie(orchestrator.url, 'phaseline-sign-in')!;
  await browser.get(url);
  for (const value of [
    ...tokens,
    url.searchParams.get('code')!,
    url.searchParams.get('state')!,
    attempt,
    CLIENT_SECRET,
  ])
    expect(orchestrator.log()).not.toContain(value);
});

it('signing out ends the session', async () => {
  provider.accounts['ada-1'] = { preferred_username: 'ada', groups: ['dev'], org_id: 'org-1' };
  const { cookie } = await signIn('ada-1');
  const response = await fetch(`${orchestrator.url}/logout`, {
    method: 'POST',
    headers: { cookie: `phaseline=${cookie}`, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: '{}',
  });
  expect(response.status).toBe(204);
  expect((await api('/v1/jobs', cookie!)).status).toBe(401);
});

describe('a service', () => {
  it('that may not create principals refuses unknown accounts, and names them for the administrator', async () => {
    const closed = await startOrchestrator({ ...settings(), PHASELINE_OIDC_CREATE_PRINCIPALS: '0' });
    try {
      provider.accounts['zoe-1'] = { preferred_username: 'zoe', groups: ['admins'], org_id: 'hq' };
      const { status, page } = await signIn('zoe-1', new BrowserForSpecs(), closed);
      expect(status).toBe(403);
      expect(page).toContain(`Your account is &#34;zoe-1&#34; of ${provider.issuer}.`);
    } finally {
      await closed.stop();
    }
  });

  it('starts while the provider is down, says so, and signs in when it is up', async () => {
    const stopped = await startProvider(`${PUBLIC_URL}/login/openid/callback`);
    await stopped.close();
    const early = await startOrchestrator({ ...settings(), PHASELINE_OIDC_ISSUER: stopped.issuer });
    try {
      const response = await fetch(`${early.url}/login/openid`, { redirect: 'manual' });
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('cannot be reached');
      const again = await startProvider(`${PUBLIC_URL}/login/openid/callback`, {
        port: Number(new URL(stopped.issuer).port),
      });
      try {
        expect((await fetch(`${early.url}/login/openid`, { redirect: 'manual' })).status).toBe(303);
      } finally {
        await again.close();
      }
    } finally {
      await early.stop();
    }
  });

  it('without a provider says so, and offers no link to one', async () => {
    const plain = await startOrchestrator({});
    try {
      const response = await fetch(`${plain.url}/login/openid`);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('has no OpenID provider');
      expect(await (await fetch(`${plain.url}/login`)).text()).not.toContain('/login/openid');
      expect(await (await fetch(`${orchestrator.url}/login`)).text()).toContain('/login/openid');
    } finally {
      await plain.stop();
    }
  });
});

it('an address begins a limited number of sign-ins per minute, and a refused one writes nothing', async () => {
  const service = await startOrchestrator(settings());
  try {
    const count = async (): Promise<number> => {
      const own = createPool(service.databaseUrls.service, { max: 1 });
      const { rows } = await own.query<{ n: number }>('SELECT count(*)::int AS n FROM phaseline.sign_in_attempts');
      await own.end();
      return rows[0]!.n;
    };
    const begin = () => fetch(`${service.url}/login/openid`, { redirect: 'manual' });
    for (let at = 0; at < MAX_SIGN_INS_PER_MINUTE; at += 1) expect((await begin()).status).toBe(303);
    expect(await count()).toBe(MAX_SIGN_INS_PER_MINUTE);
    const refused = await begin();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('Too many sign-ins');
    expect(await count()).toBe(MAX_SIGN_INS_PER_MINUTE);
  } finally {
    await service.stop();
  }
});
