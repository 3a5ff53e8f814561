import { PhaselineClient } from '@phaseline/client';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const KEY = 'key-of-the-spec-0123456789';
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator({});
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${orchestrator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const tokenOf = (url: string): string => new URL(url).hash.slice(1);
async function signIn(): Promise<string> {
  const { url } = await client.createLoginLink();
  const response = await post('/login', { token: tokenOf(url) });
  expect(response.status).toBe(204);
  return response.headers.get('set-cookie')!;
}
const readPage = async (cookie?: string): Promise<string> =>
  (await fetch(`${orchestrator.url}/signed-in`, { headers: cookie === undefined ? {} : { cookie } })).text();

describe('a login link', () => {
  it('signs in with a cookie that scripts and other sites cannot use, and ends on a page with the name', async () => {
    const cookie = await signIn();
    expect(cookie).toMatch(/^phaseline=pls_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await readPage(cookie.split(';')[0])).toContain(`Signed in as ${userInfo().username}`);
    expect(await readPage()).toContain('Not signed in');
  });

  it('works once, and opening it uses nothing', async () => {
    const { url } = await client.createLoginLink();
    const page = await fetch(url);
    expect(await page.text()).toContain('Sign in');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await post('/login', { token: tokenOf(url) })).status).toBe(204);
    expect((await post('/login', { token: tokenOf(url) })).status).toBe(409);
  });
});

describe('a session', () => {
  it('ends when the person signs out', async () => {
    const [cookie] = (await signIn()).split(';') as [string];
    const response = await post('/logout', {}, { cookie, 'sec-fetch-site': 'same-origin' });
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await readPage(cookie)).toContain('Not signed in');
  });

  it('changes nothing for a page of another site, and does for one of this service', async () => {
    const [cookie] = (await signIn()).split(';') as [string];
    const submit = (headers: Record<string, string>) => post('/v1/jobs', { agent: 'writer' }, { cookie, ...headers });
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await submit({ 'sec-fetch-site': site })).status, site).toBe(403);
    expect((await submit({})).status).toBe(403);
    expect((await submit({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await submit({ 'x-phaseline-client': 'cli' })).status).toBe(201);
    const read = await fetch(`${orchestrator.url}/v1/jobs`, { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(read.status).toBe(200);
  });
});

it('where keys are required, the pages of the sign-in need none, and everything else does', async () => {
  const guarded = await startOrchestrator({ PHASELINE_API_KEYS: `ada=${KEY}` });
  try {
    expect((await fetch(`${guarded.url}/login`)).status).toBe(200);
    expect((await fetch(`${guarded.url}/v1/jobs`)).status).toBe(401);
    expect((await fetch(`${guarded.url}/v1/jobs`, { headers: { cookie: 'phaseline=pls_forged' } })).status).toBe(401);
    const keyed = new PhaselineClient({ baseUrl: guarded.url, apiKey: KEY, retries: 0 });
    expect(await keyed.createLoginLink()).toMatchObject({ principal: 'ada' });
  } finally {
    await guarded.stop();
  }
});

describe('a session of a stored principal', () => {
  const readRights = async (cookie: string): Promise<readonly string[] | number> => {
    const response = await orchestrator.fetch('/v1/whoami', { headers: { cookie } });
    if (!response.ok) return response.status;
    return ((await response.json()) as { rights: { right: string }[] }).rights.map(({ right }) => right);
  };
  const signInAs = async (id: string): Promise<string> => {
    const { key } = await client.keys.create({ principal: id });
    const own = new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key, retries: 0 });
    const { url } = await own.createLoginLink();
    const response = await post('/login', { token: tokenOf(url) });
    return response.headers.get('set-cookie')!.split(';')[0]!;
  };

  it('has its present roles, and ends when the principal is disabled or a key of it is revoked', async () => {
    await client.principals.create({ id: 'ada', kind: 'person' });
    await client.principals.grant('ada', { role: 'operator', tenant: 'acme' });
    const cookie = await signInAs('ada');
    expect(await readPage(cookie)).toContain('Signed in as ada');
    expect(await readRights(cookie)).toContain('jobs:submit');
    await client.principals.revoke('ada', { role: 'operator', tenant: 'acme' });
    await client.principals.grant('ada', { role: 'viewer', tenant: 'acme' });
    expect(await readRights(cookie)).toContain('jobs:read');
    expect(await readRights(cookie)).not.toContain('jobs:submit');
    const unused = await signInAs('ada');
    const link = await client.keys
      .create({ principal: 'ada' })
      .then(({ key }) => new PhaselineClient({ baseUrl: orchestrator.url, apiKey: key }).createLoginLink());
    await client.principals.disable('ada');
    await client.principals.enable('ada');
    for (const ended of [cookie, unused]) expect(await readPage(ended)).toContain('Not signed in');
    expect((await post('/login', { token: tokenOf(link.url) })).status).toBe(409);
    const again = await signInAs('ada');
    const [key] = await client.keys.list({ principal: 'ada' });
    await client.keys.revoke(key!.prefix);
    expect(await readPage(again)).toContain('Not signed in');
  });

  it('has the roles of the principal also if a configured key or the local user has the same name', async () => {
    const { username } = userInfo();
    const local = (await signIn()).split(';')[0]!;
    expect(await readRights(local)).toContain('principals:manage');
    await client.principals.create({ id: username, kind: 'person' });
    expect(await readRights(local)).toEqual([]);
  });

  it('of the local user ends when an administrator has a key', async () => {
    const other = await startOrchestrator({});
    try {
      const otherClient = new PhaselineClient({ baseUrl: other.url, retries: 0 });
      const { url } = await otherClient.createLoginLink();
      const response = await fetch(`${other.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: tokenOf(url) }),
      });
      const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`${other.url}/v1/jobs`, { headers })).status;
      expect(await status({ cookie })).toBe(200);
      await otherClient.principals.create({ id: 'boss', kind: 'person' });
      await otherClient.principals.grant('boss', { role: 'admin', tenant: '*' });
      const { key } = await otherClient.keys.create({ principal: 'boss' });
      await expect.poll(() => status({ cookie }), { timeout: 20_000 }).toBe(401);
      expect(await status({})).toBe(401);
      expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
    } finally {
      await other.stop();
    }
  });
});
