import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const key = '0123456789abcdef-key';
let orchestrator: OrchestratorForSpecs;
beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: key });
});
afterAll(() => orchestrator.stop());

it('every route of the API, including those of files, requires the key before anything else', async () => {
  const { body } = await orchestrator.json('/openapi.json', { headers: { authorization: `Bearer ${key}` } });
  const { paths } = body as unknown as OpenAPIObject;
  const routes = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => [method, path]));
  expect(routes).toContainEqual(['get', '/v1/jobs/{jobId}/files/{path}']);
  for (const [method, path] of routes) {
    const url = path!.replace('{path}', 'output/text.md').replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000001');
    const route = `${method} ${path}`;
    const without = await orchestrator.json(url, { method: method!.toUpperCase() });
    expect([route, without.status, without.body['code']]).toEqual([route, 401, 'unauthorized']);
    const headers = { authorization: `Bearer ${key}` };
    const response = await orchestrator.fetch(url, { method: method!.toUpperCase(), headers });
    await response.body?.cancel();
    expect([route, response.status]).not.toEqual([route, 401]);
  }
});
