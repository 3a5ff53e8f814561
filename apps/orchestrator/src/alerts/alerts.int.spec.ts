import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditKey } from '@phaseline/audit';
import { PhaselineClient, type Alert } from '@phaseline/client';
import { Quarantine } from '@phaseline/cluster';
import { createPool, RELEASE } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';
import { startTwoTenants, type TenantThings, type TwoTenants } from '../testing/two-tenants.js';

describe('alerts of two tenants', () => {
  let subject: TwoTenants;
  beforeAll(async () => {
    subject = await startTwoTenants();
    const owner = createPool(subject.orchestrator.databaseUrls.owner, { max: 1 });
    const quarantine = new Quarantine(subject.pool, { maxFailures: 5, release: RELEASE });
    for (const { jobId, repositoryJobId, word } of [subject.own, subject.other]) {
      await quarantine.quarantineStream({
        ...{ streamId: `job-${repositoryJobId}`, correlationId: repositoryJobId },
        ...{ fingerprint: 'x', reason: `unreadable ${word}` },
      });
      // Read models are tables that the projection writes; a call that was requested two hours ago cannot be made otherwise.
      await owner.query(
        `UPDATE phaseline.jobs SET awaiting_answer = jsonb_build_array(awaiting_answer -> 0 || jsonb_build_object('askedAt', now() - interval '2 hours'))
         WHERE job_id = $1`,
        [jobId],
      );
    }
    await owner.query(
      `UPDATE phaseline.processes SET heartbeat_at = now() - interval '1 minute' WHERE service = 'tactical-worker'`,
    );
    await owner.end();
  });
  afterAll(() => subject?.stop());

  async function listFor(role: 'viewer' | 'admin', tenant: string): Promise<readonly Alert[]> {
    const { key } = await subject.createCaller([{ role, tenant }]);
    const client = new PhaselineClient({ baseUrl: subject.orchestrator.url, apiKey: key, retries: 0 });
    return (await client.alerts()).items;
  }

  const idsOfJobs = ({ jobId, repositoryJobId }: TenantThings) => [
    `job-quarantined:${repositoryJobId}`,
    `job-waiting:${jobId}`,
  ];
  const dead = ['process-dead:worker-of-4', 'process-dead:worker-of-8'];

  it('are those of the whole system for a caller with rights for all tenants', async () => {
    const alerts = await listFor('admin', '*');
    const ids = alerts.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...idsOfJobs(subject.own), ...idsOfJobs(subject.other), ...dead]));
    expect(ids).toContain('dead-letters:jobs');
    expect(ids.filter((id) => id.startsWith('check-failed'))).toEqual([]);
    expect(alerts.find(({ id }) => id === idsOfJobs(subject.own)[0])).toMatchObject({
      severity: 'critical',
      cause: expect.stringMatching(/failed 5 times .*: unreadable acme/) as string,
      link: { kind: 'job', id: subject.own.repositoryJobId },
    });
    expect(alerts.findIndex(({ severity }) => severity === 'warning')).toBe(
      alerts.filter(({ severity }) => severity === 'critical').length,
    );
  });

  it('are those of its tenant and of the processes for other callers', async () => {
    const alerts = await listFor('viewer', subject.own.tenant);
    const ids = alerts.map(({ id }) => id);
    expect(ids.filter((id) => !id.startsWith('tenant-full:')).sort()).toEqual(
      [...idsOfJobs(subject.own), ...dead].sort(),
    );
    expect(JSON.stringify(alerts)).not.toContain(subject.other.word);
  });
});

it('a tenant that uses all its slots, a queue that no process serves, and anchors that fail are alerts until they are corrected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await openAuditKey(join(folder, 'key.pem'));
  const orchestrator = await startOrchestrator({
    PHASELINE_AUDIT_KEY_FILE: join(folder, 'key.pem'),
    PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: '100',
    PHASELINE_MAX_PHASES_PER_TENANT: '1',
  });
  onTestFinished(async () => void (await orchestrator.stop()));
  const owner = createPool(orchestrator.databaseUrls.owner, { max: 1 });
  onTestFinished(() => owner.end());
  const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  const find = async (id: string) => (await client.alerts()).items.find((alert) => alert.id === id);
  expect((await client.alerts()).items).toEqual([]);

  await owner.query('REVOKE EXECUTE ON FUNCTION phaseline.add_anchor FROM phaseline_service');
  await client.submit({ agent: 'writer', tenant: 'acme' });
  const { jobId } = await client.submit({ agent: 'writer', tenant: 'acme' });
  await expect
    .poll(() => find('anchor-failing'), { timeout: 20_000 })
    .toMatchObject({
      cause: expect.stringContaining('permission denied') as string,
      since: expect.any(String) as string,
    });
  await expect.poll(() => find('anchor-overdue'), { timeout: 20_000 }).toMatchObject({ severity: 'warning' });
  await expect
    .poll(() => find('tenant-full:acme'))
    .toMatchObject({
      cause: '1 of 1 slot is in use, and 1 job waits for one.',
      link: { kind: 'tenant', id: 'acme' },
    });

  await owner.query('GRANT EXECUTE ON FUNCTION phaseline.add_anchor TO phaseline_service');
  await client.cancel(jobId);
  await expect.poll(async () => (await client.alerts()).items, { timeout: 20_000 }).toEqual([]);

  // As if the message had been sent a minute ago.
  await owner.query(`UPDATE bullmq.job SET added_at_ms = added_at_ms - 60000 WHERE queue = 'strategic'`);
  expect(await find('queue-unserved:strategic')).toMatchObject({
    severity: 'critical',
    title: 'No process serves the queue strategic',
    link: { kind: 'queue', id: 'strategic' },
  });
});
