import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnchors, openAuditKey, readAuditKey } from '@phaseline/audit';
import { createPool } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let folder: string;
let orchestrator: OrchestratorForSpecs;
const keyFile = (): string => join(folder, 'key.pem');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gauges-'));
  await openAuditKey(keyFile());
  // The log is anchored by the spec alone.
  orchestrator = await startOrchestrator({
    PHASELINE_AUDIT_KEY_FILE: keyFile(),
    PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '3600000',
  });
});
afterAll(async () => {
  await orchestrator.stop();
  await rm(folder, { recursive: true });
});

/** Returns the values of a metric by their labels other than `service`. */
async function readMetric(name: string, headers: Record<string, string> = {}): Promise<Record<string, number>> {
  const text = await (await orchestrator.fetch('/metrics', { headers })).text();
  const samples = text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'));
  return Object.fromEntries(
    [...samples].map(([, labels, value]) => [
      [...labels!.matchAll(/(\w+)="([^"]*)"/g)]
        .flatMap(([, label, text]) => (label === 'service' ? [] : [text]))
        .join('/'),
      Number(value),
    ]),
  );
}

it('what waits for a person is counted by kind, with the age of the oldest', async () => {
  const { body } = await orchestrator.json('/v1/jobs', post({ agent: 'writer', tenant: 'acme' }));
  const jobId = body['jobId'] as never;
  await orchestrator.json('/v1/tenants/acme', { ...post({ maxRunningPhases: 1 }), method: 'PUT' });
  const blocked = [1, 2].map((todoId) => ({ todoId, reason: 'No file.', callId: `call_1_1_${todoId}` }));
  await orchestrator.inPhase(jobId, 1, [{ type: 'TodoBlocked', data: blocked[0]! }] as never);
  await orchestrator.inPhase(jobId, 1, [{ type: 'TodoBlocked', data: blocked[1]! }] as never);
  const countInbox = async () => ((await orchestrator.json('/v1/inbox')).body['items'] as unknown[]).length;
  await expect.poll(countInbox, { timeout: 20_000 }).toBe(2);
  expect(await readMetric('phaseline_waiting_for_person')).toEqual({
    ...{ approval: 0, question: 0, 'blocked-todo': 2, 'blocked-job': 0 },
  });
  const ages = await readMetric('phaseline_waiting_for_person_oldest_age_seconds');
  expect(ages).toMatchObject({ approval: 0, 'blocked-job': 0 });
  expect(ages['blocked-todo']).toBeGreaterThan(0);
});

it('jobs are counted by the process that recorded them', async () => {
  const before = (await readMetric('phaseline_jobs_submitted_total'))['']!;
  await orchestrator.json('/v1/jobs', post({ agent: 'writer' }));
  expect((await readMetric('phaseline_jobs_submitted_total'))['']).toBe(before + 1);
});

it('processes, their heartbeats and the queues that they handle are known', async () => {
  expect(await readMetric('phaseline_processes')).toEqual({ 'orchestrator/alive': 1, 'orchestrator/dead': 0 });
  expect(Object.keys(await readMetric('phaseline_heartbeat_age_seconds'))).toEqual(['orchestrator']);
  await expect
    .poll(() => readMetric('phaseline_queue_workers'), { timeout: 20_000 })
    .toMatchObject({ jobs: 1, timers: 1, strategic: 0, tools: 0 });
});

it('every queue has a depth and the age of its oldest message', async () => {
  const ages = await readMetric('phaseline_queue_oldest_age_seconds');
  const depths = await readMetric('phaseline_queue_depth');
  expect(Object.keys(ages).map((queue) => `${queue}/waiting`)).toEqual(
    Object.keys(depths).filter((key) => key.endsWith('/waiting')),
  );
  // No worker takes the phases of the jobs.
  expect(ages['strategic']).toBeGreaterThan(0);
  expect(ages['tools']).toBe(0);
});

it('the limit of a tenant is known while it has work', async () => {
  expect(await readMetric('phaseline_tenant_phase_limit')).toEqual({ acme: 1 });
});

it('a key that may only read metrics shows the series of tenants', async () => {
  const principals = orchestrator.get(Principals);
  const admin: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };
  await principals.create(admin, 'prometheus', 'service');
  await principals.grant(admin, 'prometheus', 'viewer', '*');
  const readWith = async (rights: readonly ('metrics:read' | 'jobs:read')[]) => {
    const { key } = await principals.createKey(admin, 'prometheus', { label: 'spec', rights });
    return readMetric('phaseline_tenant_phase_limit', { authorization: `Bearer ${key}` });
  };
  expect(await readWith(['metrics:read'])).toEqual({ acme: 1 });
  expect(await readWith(['jobs:read'])).toEqual({});
});

it('events without an anchor have an age until they are anchored', async () => {
  expect((await readMetric('phaseline_audit_unanchored_age_seconds'))['']).toBeGreaterThan(0);
  const pool = createPool(orchestrator.databaseUrls.service, { max: 1 });
  try {
    // A process may append an event between an anchor and the reading after it.
    await expect
      .poll(async () => {
        await createAnchors(pool, await readAuditKey(keyFile()), { now: () => new Date() });
        return readMetric('phaseline_audit_unanchored_age_seconds');
      })
      .toEqual({ '': 0 });
  } finally {
    await pool.end();
  }
});
