import { PhaselineClient, type HoldRecord } from '@phaseline/client';
import { MasterKeys } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';

let subject: TwoTenants;
beforeAll(async () => {
  subject = await startTwoTenants();
});
afterAll(() => subject?.stop());

/** A client with the key of an auditor of one tenant, or of all. */
async function auditorOf(tenant: string): Promise<PhaselineClient & { readonly principal: string }> {
  const { id, key } = await subject.createCaller([{ role: 'auditor', tenant }]);
  const client = new PhaselineClient({ baseUrl: subject.orchestrator.url, apiKey: key, retries: 0 });
  return Object.assign(client, { principal: id });
}

async function list(client: PhaselineClient, query = {}): Promise<readonly HoldRecord[]> {
  const holds: HoldRecord[] = [];
  for await (const hold of client.holds.list(query)) holds.push(hold);
  return holds;
}

describe('legal holds', () => {
  it('are placed and released once each, with the caller as actor in the log', async () => {
    const { own, orchestrator } = subject;
    const client = await auditorOf(own.tenant);
    const jobId = own.repositoryJobId;
    expect(await client.holds.place(jobId, { reason: 'case 4711' })).toEqual({ jobId, held: true, changed: true });
    expect(await client.holds.place(jobId, { reason: 'again' })).toEqual({ jobId, held: true, changed: false });
    expect(await list(client, { jobId })).toEqual([
      { jobId, tenant: own.tenant, actor: client.principal, reason: 'case 4711', placedAt: expect.any(String) },
    ]);
    expect(await client.holds.release(jobId, { reason: 'closed' })).toEqual({ jobId, held: false, changed: true });
    expect(await client.holds.release(jobId, { reason: 'closed' })).toEqual({ jobId, held: false, changed: false });
    expect(await list(client, { jobId })).toEqual([]);
    const events = await orchestrator.store.readCorrelation(jobId, { types: ['HoldPlaced', 'HoldReleased'] });
    expect(events.map(({ type, data, metadata }) => [type, data, metadata['actor']])).toEqual([
      ['HoldPlaced', { actor: client.principal, reason: 'case 4711' }, { id: client.principal, kind: 'person' }],
      ['HoldReleased', { actor: client.principal, reason: 'closed' }, { id: client.principal, kind: 'person' }],
    ]);
  });

  it('are listed in pages, by the tenants of the caller, also if the filter names another tenant', async () => {
    const { own, other } = subject;
    const [one, all] = [await auditorOf(own.tenant), await auditorOf('*')];
    expect((await list(one)).map(({ jobId }) => jobId)).toEqual([own.jobId]);
    expect(await list(one, { tenant: other.tenant })).toEqual([]);
    expect(await list(one, { jobId: other.jobId })).toEqual([]);
    expect((await list(all, { limit: 1 })).map(({ jobId }) => jobId)).toEqual([own.jobId, other.jobId]);
    expect((await list(all, { tenant: other.tenant })).map(({ tenant }) => tenant)).toEqual([other.tenant]);
    await expect(list(all, { cursor: 'am9iczox' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('cannot be changed in another tenant, whose jobs look like missing ones', async () => {
    const { own, other, missing } = subject;
    const client = await auditorOf(own.tenant);
    const attempt = async (jobId: string, change: 'place' | 'release'): Promise<unknown> =>
      client.holds[change](jobId, { reason: 'mine' }).catch(({ code, message }: Record<string, unknown>) => [
        code,
        String(message).replaceAll(jobId, '…'),
      ]);
    for (const change of ['place', 'release'] as const)
      expect(await attempt(other.jobId, change)).toEqual(await attempt(missing.jobId, change));
    expect(await list(await auditorOf('*'), { jobId: other.jobId })).toMatchObject([{ actor: expect.any(String) }]);
  });

  it.each([
    ['no reason', {}],
    ['an empty reason', { reason: '  ' }],
    ['a reason that is too long', { reason: 'x'.repeat(2_001) }],
    ['an actor', { reason: 'case', actor: 'ada' }],
  ])('are refused with %s', async (_what, body) => {
    const { own, orchestrator } = subject;
    const { key } = await subject.createCaller([{ role: 'auditor', tenant: own.tenant }]);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const path = `/v1/jobs/${own.repositoryJobId}/hold`;
    const query = new URLSearchParams(body).toString();
    const placed = await orchestrator.json(path, { method: 'PUT', headers, body: JSON.stringify(body) });
    const released = await orchestrator.json(`${path}?${query}`, { method: 'DELETE', headers });
    for (const response of [placed, released])
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('of encrypted jobs are listed with their reason where it can be decrypted, and prevent an erasure', async () => {
    const masterKey = MasterKeys.generate();
    const orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: masterKey });
    const keyless = await startOrchestrator({}, { beside: orchestrator });
    try {
      const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
      const { jobId } = await client.submit({ agent: 'writer', encrypt: true });
      await client.holds.place(jobId, { reason: 'case 4711' });
      expect(await list(client)).toMatchObject([{ jobId, reason: 'case 4711' }]);
      const [hold] = await list(new PhaselineClient({ baseUrl: keyless.url, retries: 0 }));
      expect(hold).toEqual({ jobId, tenant: 'default', actor: expect.any(String), placedAt: expect.any(String) });
      await client.cancel(jobId);
      await client.wait(jobId);
      await expect(client.erase(jobId)).rejects.toMatchObject({ code: 'request_refused' });
      await client.holds.release(jobId, { reason: 'closed' });
      await client.erase(jobId);
      await expect(client.holds.place(jobId, { reason: 'too late' })).rejects.toMatchObject({ code: 'content_erased' });
    } finally {
      await keyless.stop();
      await orchestrator.stop();
    }
  });
});
