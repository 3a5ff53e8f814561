import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let document: OpenAPIObject;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  document = (await orchestrator.json('/openapi.json')).body as unknown as OpenAPIObject;
});
afterAll(() => orchestrator.stop());

describe('the description of the API', () => {
  it('has every route', () => {
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(routes.sort()).toEqual([
      'get /v1/agents',
      'get /v1/costs',
      'get /v1/dead-letters',
      'get /v1/jobs',
      'get /v1/jobs/{jobId}',
      'get /v1/jobs/{jobId}/compare/{otherJobId}',
      'get /v1/jobs/{jobId}/diff',
      'get /v1/jobs/{jobId}/events',
      'get /v1/jobs/{jobId}/files',
      'get /v1/jobs/{jobId}/files/{path}',
      'get /v1/jobs/{jobId}/state',
      'get /v1/phases',
      'get /v1/queue-history',
      'get /v1/queues',
      'get /v1/tenants',
      'get /v1/tool-calls',
      'post /v1/dead-letters/{id}/discard',
      'post /v1/dead-letters/{id}/retry',
      'post /v1/jobs',
      'post /v1/jobs/{jobId}/approve',
      'post /v1/jobs/{jobId}/cancel',
      'post /v1/jobs/{jobId}/erase',
      'post /v1/jobs/{jobId}/fork',
      'post /v1/jobs/{jobId}/pause',
      'post /v1/jobs/{jobId}/refuse',
      'post /v1/jobs/{jobId}/resume',
      'post /v1/jobs/{jobId}/retry',
      'post /v1/jobs/{jobId}/steer',
      'post /v1/jobs/{jobId}/upgrade',
      'put /v1/tenants/{tenant}',
    ]);
  });

  it('names every operation exactly once', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      [item.get, item.post].flatMap((operation) => operation?.operationId ?? []),
    );
    expect(ids.sort()).toEqual([
      'approveToolCall',
      'cancelJob',
      'compareJobs',
      'diffJob',
      'discardDeadLetter',
      'eraseJob',
      'forkJob',
      'getJob',
      'listAgents',
      'listDeadLetters',
      'listFiles',
      'listJobs',
      'listPhases',
      'listTenants',
      'listToolCalls',
      'pauseJob',
      'readCosts',
      'readEvents',
      'readFile',
      'readQueueHistory',
      'readQueues',
      'readState',
      'refuseToolCall',
      'resumeJob',
      'retryDeadLetter',
      'retryJob',
      'steerJob',
      'submitJob',
      'upgradeJob',
    ]);
    const parameters = document.paths['/v1/jobs/{jobId}/files/{path}']?.get?.parameters;
    expect(parameters).toMatchObject([
      { name: 'jobId' },
      { name: 'at' },
      { name: 'range' },
      { name: 'if-none-match' },
      { name: 'path', in: 'path' },
    ]);
  });

  it('has no dangling references', () => {
    const known = Object.keys(document.components?.schemas ?? {});
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(references.length).toBeGreaterThan(10);
    expect([...new Set(references)].filter((name) => !known.includes(name))).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/#\/(\$defs|definitions)\//);
  });

  it('is generated from the schemas that check requests: bodies, queries and responses', () => {
    const submit = document.paths['/v1/jobs']?.post;
    expect(submit?.requestBody).toMatchObject({
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/SubmitRequest' } },
        'multipart/form-data': { schema: { properties: { files: { items: { format: 'binary' } } } } },
      },
    });
    expect(document.components?.schemas?.['SubmitRequest']).toMatchObject({
      required: ['agent'],
      properties: { agent: { type: 'string', maxLength: 100 } },
    });
    expect(Object.keys(submit?.responses ?? {}).sort()).toEqual([
      '200',
      '201',
      '400',
      '401',
      '403',
      '409',
      '410',
      '413',
      '415',
      '422',
      '429',
      '500',
      '501',
    ]);
    const query = document.paths['/v1/jobs/{jobId}/events']?.get?.parameters;
    expect(query).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'limit',
          in: 'query',
          schema: expect.objectContaining({ type: 'integer', maximum: 1_000 }),
        }),
      ]),
    );
    const answer = document.paths['/v1/jobs/{jobId}']?.get?.responses['200'];
    expect(answer).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/JobSummary' } } },
    });
    expect(document.components?.schemas?.['JobSummary']).toMatchObject({
      properties: { usage: { $ref: '#/components/schemas/Usage' } },
    });
  });

  it('is where a browser that opens the root address is redirected', async () => {
    const answer = await orchestrator.fetch('/', { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });

  it('names a server, and for each operation the responses to an unknown key, a foreign origin and too many requests', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { responses: object }>).map(([method, { responses }]) => ({
        operation: `${method} ${path}`,
        missing: ['401', '403', '429', '500'].filter((status) => !(status in responses)),
      })),
    );
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  it('can be read on a page that needs no other server', async () => {
    const page = await orchestrator.fetch('/docs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      const asset = await orchestrator.fetch(link);
      expect([link, asset.status]).toEqual([link, 200]);
      await asset.arrayBuffer();
    }
  });
});

describe('the agents', () => {
  it('are listed with their purpose', async () => {
    const { items } = (await orchestrator.json('/v1/agents')).body as { items: { name: string }[] };
    expect({ items: items.filter(({ name }) => name === 'writer') }).toEqual({
      items: [
        {
          name: 'writer',
          displayName: 'Writer',
          description: 'Writes what it is asked for.',
          workflow: 'short',
          deliverables: ['output/text.md'],
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it('with errors prevent the start, with the file and the line', async () => {
    await expect(
      startOrchestrator({}, { files: { 'agents/writer/agent.yaml': 'name: writer\ndisplayName: [\n' } }),
    ).rejects.toThrow(/agents\/writer\/agent\.yaml:\d+:\d+: not valid YAML/);
    await expect(
      startOrchestrator(
        {},
        { files: { 'agents/writer/agent.yaml': 'name: writer\ndisplayName: W\nworkflow: long\ntools: {}\n' } },
      ),
    ).rejects.toMatchObject({ code: 'definitions_invalid', exitCode: 78 });
  });
});
