import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse-config.js';
import { serviceConfig } from '../config/service-config.js';
import { guardRequests } from './request-guard.js';

const key = 'a-key-of-some-length';
let http: FastifyInstance;
afterEach(() => http.close());

async function getResponse(
  headers: Record<string, string>,
  env: NodeJS.ProcessEnv = {},
  url = '/v1/jobs',
  servesApi = true,
): Promise<{ status: number; code?: string }> {
  http = Fastify();
  const config = serviceConfig(7400, {}, { servesApi });
  guardRequests(http, parseConfig(config, { DATABASE_URL: 'postgresql://db/phaseline', ...env }));
  for (const path of ['/v1/jobs', '/health', '/metrics']) http.get(path, () => ({ ok: true }));
  const response = await http.inject({ method: 'GET', url, headers });
  return { status: response.statusCode, ...(response.json() as { code?: string }) };
}

describe('guardRequests', () => {
  it.each(['127.0.0.1:7400', 'localhost:7400', 'LOCALHOST', '[::1]:7400'])('serves %s', async (host) => {
    expect(await getResponse({ host })).toMatchObject({ status: 200 });
  });

  it.each([
    'evil.example.org',
    'evil.example.org:7400',
    '127.0.0.1.evil.example.org',
    'localhost.evil.example.org',
    'localhost@evil.example.org',
    'evil.example.org/localhost',
    '127.0.0.1:7400:80',
    '169.254.169.254',
  ])('rejects the host name “%s”, which a web page may have pointed at this machine', async (host) => {
    expect(await getResponse({ host })).toMatchObject({ status: 403, code: 'forbidden_host' });
  });

  it('answers only probes if other machines can reach the service and it has no keys', async () => {
    const env = { PHASELINE_HOST: '0.0.0.0' };
    const host = 'tool-runner:7403';
    expect(await getResponse({ host }, env, '/metrics', false)).toMatchObject({ status: 200 });
    expect(await getResponse({ host: 'localhost' }, env, '/v1/jobs', false)).toMatchObject({ status: 401 });
    const authorization = `Bearer ${key}`;
    expect(await getResponse({ host: 'localhost', authorization }, env, '/v1/jobs', false)).toMatchObject({
      status: 401,
    });
    expect(await getResponse({ host: 'localhost' }, {}, '/v1/jobs', false)).toMatchObject({ status: 200 });
  });

  it('serves the allowed host names', async () => {
    expect(
      await getResponse({ host: 'Phaseline.internal:7400' }, { PHASELINE_ALLOWED_HOSTS: 'phaseline.internal' }),
    ).toMatchObject({ status: 200 });
  });

  it.each([
    'https://evil.example.org',
    'http://localhost:9999',
    'http://127.0.0.1',
    'null',
    'file://',
    'http://localhost:7400.evil.example.org',
  ])('rejects a page of %s', async (origin) => {
    expect(await getResponse({ host: 'localhost:7400', origin })).toMatchObject({
      status: 403,
      code: 'forbidden_origin',
    });
  });

  it('serves its own pages and those of allowed origins', async () => {
    expect(await getResponse({ host: 'localhost:7400', origin: 'http://localhost:7400' })).toMatchObject({
      status: 200,
    });
    const env = { PHASELINE_ALLOWED_ORIGINS: 'https://console.example.org' };
    expect(await getResponse({ host: 'localhost:7400', origin: 'https://console.example.org' }, env)).toMatchObject({
      status: 200,
    });
  });

  it('rejects a page whose foreign origin equals the foreign host name of the request', async () => {
    expect(await getResponse({ host: 'evil.example.org', origin: 'http://evil.example.org' })).toMatchObject({
      status: 403,
    });
  });

  describe('with API keys', () => {
    const env = { PHASELINE_API_KEYS: `other-key-0123456789,${key}` };

    it.each<Record<string, string>>([
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { 'x-api-key': key },
    ])('serves %o', async (headers) => {
      expect(await getResponse({ host: 'localhost', ...headers }, env)).toMatchObject({ status: 200 });
    });

    it.each<Record<string, string>>([
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${key}` },
      { 'x-api-key': `${key}x` },
      { 'x-api-key': '' },
    ])('rejects %o', async (headers) => {
      expect(await getResponse({ host: 'localhost', ...headers }, env)).toMatchObject({
        status: 401,
        code: 'unauthorized',
      });
    });

    it.each([
      '/v1/jobs/1/files',
      '/v1/jobs/1/files/output/text.md',
      '/v1/jobs/1/files/health',
      '/v1/jobs/1/files/metrics?version=1',
      '/v1/jobs/1/events',
      '/v1/agents',
      '/openapi.json',
      '/docs',
      '/health/',
      '/healthy',
      '//metrics',
      '/metrics/../v1/jobs',
      '/not-there',
    ])('requires a key at %s', async (url) => {
      expect(await getResponse({ host: 'localhost' }, env, url)).toMatchObject({ status: 401, code: 'unauthorized' });
    });

    it('answers probes without a key', async () => {
      expect(await getResponse({ host: 'localhost' }, env, '/health')).toMatchObject({ status: 200 });
      expect(await getResponse({ host: 'localhost' }, env, '/health?verbose')).toMatchObject({ status: 200 });
    });

    it('answers probes by address only if the service listens for other machines', async () => {
      expect(
        await getResponse({ host: '10.1.2.3:7400' }, { ...env, PHASELINE_HOST: '0.0.0.0' }, '/metrics'),
      ).toMatchObject({
        status: 200,
      });
      expect(await getResponse({ host: '10.1.2.3:7400' }, env, '/metrics')).toMatchObject({ status: 403 });
      expect(await getResponse({ host: '10.1.2.3:7400' }, { ...env, PHASELINE_HOST: '0.0.0.0' })).toMatchObject({
        status: 403,
      });
    });
  });
});

describe('guesses of stored keys', () => {
  it('of an address with too many failures cost no query, and a key that was accepted before still works', async () => {
    const good = `plk_00000000_${'g'.repeat(43)}`;
    const guess = `plk_11111111_${'x'.repeat(43)}`;
    let queries = 0;
    let hasAccepted = false;
    http = Fastify();
    const config = serviceConfig(7400, {}, { servesApi: true });
    guardRequests(http, parseConfig(config, { DATABASE_URL: 'postgresql://db/phaseline' }), undefined, {
      findCaller: async (presented) => {
        queries += 1;
        if (presented !== good) return undefined;
        hasAccepted = true;
        return { id: 'ada', kind: 'person', roles: [] };
      },
      findPrincipal: async () => undefined,
      hasAccepted: (presented) => hasAccepted && presented === good,
      hasAdministrator: async () => true,
    });
    http.get('/v1/jobs', () => ({ ok: true }));
    const send = async (presented: string): Promise<number> =>
      (await http.inject({ url: '/v1/jobs', headers: { host: 'localhost', 'x-api-key': presented } })).statusCode;
    expect(await send(good)).toBe(200);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 30; attempt += 1) statuses.push(await send(guess));
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
    // The first key, 20 guesses, and the one that exceeded the limit.
    expect(queries).toBe(22);
    expect(await send(good)).toBe(200);
  });
});
