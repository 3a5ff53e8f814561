import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let local: OrchestratorForSpecs;
beforeAll(async () => {
  local = await startOrchestrator();
});
afterAll(() => local.stop());

it('where other machines can reach it, the service starts only if an administrator has a key', async () => {
  const reachable = { PHASELINE_HOST: '0.0.0.0', PHASELINE_ALLOWED_HOSTS: '127.0.0.1' };
  await expect(startOrchestrator(reachable, { beside: local })).rejects.toMatchObject({
    code: 'keys_missing',
    exitCode: 78,
    message: expect.stringContaining('phaseline keys create'),
  });
  const configured = await startOrchestrator(
    { ...reachable, PHASELINE_API_KEYS: 'ada=0123456789abcdef' },
    { beside: local },
  );
  await configured.stop();

  const client = new PhaselineClient({ baseUrl: local.url, retries: 0 });
  await client.principals.create({ id: 'boss', kind: 'person' });
  await client.principals.grant('boss', { role: 'admin', tenant: '*' });
  const { key } = await client.keys.create({ principal: 'boss' });
  const stored = await startOrchestrator(reachable, { beside: local });
  try {
    const url = stored.url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(`${url}/v1/jobs`)).status).toBe(401);
    const boss = new PhaselineClient({ baseUrl: url, apiKey: key, retries: 0 });
    expect(await boss.whoAmI()).toMatchObject({ id: 'boss', authentication: { method: 'key' } });
  } finally {
    await stored.stop();
  }
});
