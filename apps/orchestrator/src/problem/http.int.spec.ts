import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import {
  PhaselineClient,
  problemSchema,
  problemStatus,
  problemTitle,
  problemType,
  Unauthorized,
} from '@phaseline/client';
import { createPool, EventStore } from '@phaseline/event-store';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttableProxy } from '../testing/cuttable-proxy.js';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const key = 'a-key-of-some-length';
let open: OrchestratorForSpecs;
let guarded: OrchestratorForSpecs;

beforeAll(async () => {
  [open, guarded] = await Promise.all([
    startOrchestrator(),
    startOrchestrator({ PHASELINE_API_KEYS: `another-key-entirely,${key}` }),
  ]);
});
afterAll(async () => {
  await open.stop();
  await guarded.stop();
});

/** Sends a request without `fetch`, which neither sends a foreign Host nor keeps a path as it is. */
function raw(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    httpRequest({ hostname, port, path, method, headers }, (response) => {
      let body = '';
      response
        .on('data', (chunk: Buffer) => (body += chunk.toString()))
        .on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });
}

describe('a response that is not a success', () => {
  it.each([
    ['GET', '/nowhere', 404, 'route_not_found'],
    ['GET', '/v1', 404, 'route_not_found'],
    ['DELETE', '/v1/jobs', 404, 'route_not_found'],
    ['POST', '/v1/queues', 404, 'route_not_found'],
    ['GET', '/v1/jobs/%zz', 400, 'invalid_request'],
    ['GET', `/v1/jobs/${'x'.repeat(300)}`, 400, 'invalid_request'],
    ['GET', '/docs/..%2f..%2fpackage.json', 404, 'route_not_found'],
    ['GET', '/docs/package.json', 404, 'route_not_found'],
  ])('to %s %s is a problem', async (method, path, status, code) => {
    const answer = await raw(open.url, path, {}, method);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(problemSchema.parse(JSON.parse(answer.body))).toMatchObject({ code, status });
  });

  it('reveals no internals when the server fails, and the log has the details', async () => {
    const { body: submitted } = await open.json(
      '/v1/jobs',
      post({ agent: 'writer', documents: [{ name: 'a.md', content: 'text' }] }),
    );
    const owner = new pg.Client({ connectionString: open.databaseUrls.owner });
    await owner.connect();
    await owner.query('ALTER TABLE phaseline.blobs RENAME TO hidden');
    const { status, body } = await open.json(`/v1/jobs/${String(submitted['jobId'])}/files/documents/a.md`);
    await owner.query('ALTER TABLE phaseline.hidden RENAME TO blobs');
    await owner.end();
    expect(status).toBe(500);
    expect(body).toEqual({
      type: 'urn:phaseline:problem:internal',
      title: 'The server failed',
      detail: body['message'],
      code: 'internal',
      status: 500,
      message: expect.stringMatching(
        /^Something went wrong on the server\. Its log has the reason under request \S+\.$/,
      ),
    });
    const requestId = /request (\S+)\.$/.exec(String(body['message']))![1]!;
    expect(
      open
        .log()
        .split('\n')
        .filter((line) => line.includes(`"requestId":"${requestId}"`))
        .join(),
    ).toContain('relation \\"phaseline.blobs\\" does not exist');
  });
});

describe('every problem', () => {
  /** Checks what RFC 9457 requires, and that services and API use the same texts for a code. */
  const check = (answer: { status: number; type: string | null; body: unknown }): string => {
    expect(answer.type).toContain('application/problem+json');
    const { code, detail, ...body } = answer.body as { code: keyof typeof problemStatus; detail: string };
    expect(body).toMatchObject({
      type: problemType(code),
      title: problemTitle[code],
      status: answer.status,
      message: detail,
    });
    expect(detail.length).toBeGreaterThan(10);
    return code;
  };
  const fetched = async (path: string, init: RequestInit = {}, from = open): Promise<string> => {
    const response = await from.fetch(path, init);
    return check({ status: response.status, type: response.headers.get('content-type'), body: await response.json() });
  };

  it('has type, title and detail, wherever it originates', async () => {
    expect(await fetched('/nowhere')).toBe('route_not_found');
    expect(await fetched('/v1/jobs/%zz')).toBe('invalid_request');
    expect(await fetched('/v1/jobs', post('{"agent": '))).toBe('invalid_request');
    expect(await fetched('/v1/jobs', post({ agent: 7 }))).toBe('invalid_request');
    expect(await fetched('/v1/jobs?limit=x')).toBe('invalid_request');
    expect(await fetched('/v1/jobs', { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } })).toBe(
      'unsupported_media_type',
    );
    expect(await fetched(`/v1/jobs/${randomUUID()}/pause`, post({ reason: 'x'.repeat(1_100_000) }))).toBe(
      'request_too_large',
    );
    expect(await fetched(`/v1/jobs/${randomUUID()}`)).toBe('job_not_found');
    expect(await fetched('/v1/jobs', post({ agent: 'wirter' }))).toBe('unknown_agent');
    expect(await fetched('/v1/jobs', post({ agent: 'writer' }, { origin: 'https://evil.example.org' }))).toBe(
      'forbidden_origin',
    );
    expect(await fetched('/v1/jobs', {}, guarded)).toBe('unauthorized');
    const { status, headers, body } = await raw(open.url, '/v1/jobs', { host: 'evil.example.org' });
    expect(check({ status, type: String(headers['content-type']), body: JSON.parse(body) })).toBe('forbidden_host');
  });
});

describe('an unreachable database', () => {
  it('leads to 503 with retry-after, and everything continues when it is back', async () => {
    let wire: CuttableProxy | undefined;
    const own = await startOrchestrator({}, { reach: (url) => (wire = new CuttableProxy(new URL(url))).start() });
    try {
      const client = new PhaselineClient({ baseUrl: own.url, retries: 0 });
      const { jobId } = await client.submit({ agent: 'writer' });
      await wire!.cut();
      for (const path of [
        `/v1/jobs/${jobId}`,
        '/v1/jobs',
        `/v1/jobs/${jobId}/state`,
        `/v1/jobs/${jobId}/events`,
        '/v1/queues',
        '/v1/dead-letters',
      ]) {
        const { status, body, headers } = await own.json(path);
        expect([path, status, body['code'], headers.get('retry-after')]).toEqual([path, 503, 'not_ready', '2']);
      }
      expect((await own.fetch('/ready')).status).toBe(503);
      expect((await own.fetch('/health')).status).toBe(200);
      await wire!.start();
      await expect.poll(async () => (await own.fetch(`/v1/jobs/${jobId}`)).status, { timeout: 15_000 }).toBe(200);
      await client.cancel(jobId);
      await expect.poll(async () => (await client.listPage()).items[0]?.status, { timeout: 15_000 }).toBe('cancelled');
    } finally {
      await own.stop();
      await wire?.cut();
    }
  });
});

describe('a job that a newer release has written to', () => {
  it('leads to 503 with the reason, but not for other jobs', async () => {
    const client = new PhaselineClient({ baseUrl: open.url, retries: 0 });
    const { jobId } = await client.submit({ agent: 'writer' });
    const other = await client.submit({ agent: 'writer' });
    const event = { eventId: randomUUID(), type: 'JobPaused', schemaVersion: 99, data: {}, metadata: {} };
    // The store of this release would refuse it.
    const pool = createPool(open.databaseUrls.service);
    await new EventStore(pool).append({
      streamId: `job-${jobId}`,
      correlationId: jobId,
      expectedVersion: 'any',
      events: [event],
    });
    await pool.end();
    for (const [path, init] of [
      [`/v1/jobs/${jobId}`, undefined],
      [`/v1/jobs/${jobId}/state`, undefined],
      [`/v1/jobs/${jobId}/pause`, post({})],
    ] as const) {
      const { status, body, headers } = await open.json(path, init);
      expect([path, status, body['code'], headers.get('retry-after')]).toEqual([path, 503, 'not_ready', '2']);
      expect(body['message']).toContain('This replica is of an older release than the events of the job');
    }
    expect((await client.get(other.jobId)).jobId).toBe(other.jobId);
  });
});

describe('requests that a web page in a user’s browser could send', () => {
  it('are refused for a foreign host name', async () => {
    const answer = await raw(open.url, '/v1/jobs', { host: 'evil.example.org' });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { code: 'forbidden_host' }]);
  });

  it('are refused from a foreign origin, and accepted from our own', async () => {
    const foreign = await open.json('/v1/jobs', post({ agent: 'writer' }, { origin: 'https://evil.example.org' }));
    expect(foreign).toMatchObject({ status: 403, body: { code: 'forbidden_origin' } });
    const own = await open.json('/v1/jobs', post({ agent: 'writer' }, { origin: open.url }));
    expect(own.status).toBe(201);
  });
});

describe('an orchestrator with API keys', () => {
  it('refuses requests without one on every route', async () => {
    for (const path of [
      '/v1/jobs',
      `/v1/jobs/${randomUUID()}`,
      '/v1/queues',
      '/v1/dead-letters',
      '/v1/agents',
      '/openapi.json',
      '/docs',
      '/nowhere',
    ]) {
      expect(await guarded.json(path), path).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect((await guarded.fetch(path, { headers: { authorization: `Bearer ${key}x` } })).status, path).toBe(401);
    }
    for (const path of ['/health', '/ready', '/metrics']) expect((await guarded.fetch(path)).status, path).toBe(200);
  });

  it('accepts requests with any of them', async () => {
    const client = new PhaselineClient({ baseUrl: guarded.url, apiKey: key, retries: 0 });
    const { jobId } = await client.submit({ agent: 'writer' });
    expect((await client.get(jobId)).jobId).toBe(jobId);
    await expect(
      new PhaselineClient({ baseUrl: guarded.url, apiKey: 'wrong-key-of-length', retries: 0 }).get(jobId),
    ).rejects.toThrow(Unauthorized);
    expect(guarded.log()).not.toContain(key);
  });
});

describe('what every service has', () => {
  it('is available here too, with this service’s own metrics', async () => {
    expect((await open.json('/ready')).body).toMatchObject({ ready: true });
    expect((await open.json('/health')).body).toMatchObject({ status: 'ok', service: 'orchestrator' });
    const metrics = await (await open.fetch('/metrics')).text();
    expect(metrics).toMatch(/phaseline_jobs\{.*status="running".*\} \d+/);
    expect(metrics).toMatch(/phaseline_dead_letters\{.*\} 0/);
    await expect
      .poll(async () => (await open.fetch('/metrics')).text(), { timeout: 10_000 })
      .toMatch(/phaseline_reconciler_passes_total\{outcome="done".*\} [1-9]/);
  });
});
