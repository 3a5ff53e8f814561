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
