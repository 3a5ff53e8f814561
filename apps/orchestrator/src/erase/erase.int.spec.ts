import { userInfo } from 'node:os';
import { isEncryptedJob } from '@phaseline/domain';
import { createPool, MasterKeys } from '@phaseline/event-store';
import { DeadLetters } from '@phaseline/cluster';
import { PhaselineClient } from '@phaseline/client';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phaseEvents, post, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';
import { sendToJobs } from '../testing/send-to-jobs.js';

const SECRET = 'Zwynsecretquox';
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: Pool;

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.owner, { max: 2 });
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

const submit = (body: object, headers?: Record<string, string>) =>
  orchestrator.json('/v1/jobs', post({ agent: 'writer', ...body }, headers));
const blobs = async (): Promise<number> =>
  Number((await pool.query<{ count: string }>('SELECT count(*) FROM phaseline.blobs')).rows[0]!.count);

/** Creates an encrypted job that has ended. */
async function createEndedJob(): Promise<string> {
  const { jobId } = await client.submit({ agent: 'writer', instructions: SECRET, encrypt: true });
  await client.cancel(jobId);
  await client.wait(jobId, { timeoutMs: 60_000 });
  return jobId;
}

describe('submitting an encrypted job', () => {
  it('creates one whose id says so, by the body or by a header', async () => {
    for (const answer of [await submit({ encrypt: true }), await submit({}, { 'phaseline-encrypt': 'true' })]) {
      expect(answer.status).toBe(201);
      expect(isEncryptedJob(String(answer.body['jobId']))).toBe(true);
    }
    expect(isEncryptedJob(String((await submit({})).body['jobId']))).toBe(false);
    expect(isEncryptedJob(String((await submit({ encrypt: false })).body['jobId']))).toBe(false);
    expect((await submit({ encrypt: false }, { 'phaseline-encrypt': 'true' })).status).toBe(400);
    expect((await submit({}, { 'phaseline-encrypt': 'yes' })).status).toBe(400);
  });

  it('twice with one key creates one job; different content is a conflict', async () => {
    const first = await submit({ encrypt: true, instructions: 'a', idempotencyKey: 'k1' });
    const again = await submit({ encrypt: true, instructions: 'a', idempotencyKey: 'k1' });
    expect(again).toMatchObject({ status: 200, body: { jobId: first.body['jobId'], created: false } });
    expect(await submit({ encrypt: true, instructions: 'b', idempotencyKey: 'k1' })).toMatchObject({ status: 409 });
  });

  it('in a form requires the field before the first file; otherwise it is refused', async () => {
    const file = (): Blob => new Blob([SECRET]);
    const before = await blobs();
    const early = new FormData();
    early.append('agent', 'writer');
    early.append('encrypt', 'true');
    early.append('files', file(), 'a.md');
    const submitted = await orchestrator.json('/v1/jobs', { method: 'POST', body: early });
    expect(submitted.status).toBe(201);
    expect(await client.readText(String(submitted.body['jobId']), 'documents/a.md')).toBe(SECRET);
    const header = new FormData();
    header.append('files', file(), 'a.md');
    header.append('agent', 'writer');
    const byHeader = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      body: header,
      headers: { 'phaseline-encrypt': 'true' },
    });
    expect(byHeader.status).toBe(201);
    expect(isEncryptedJob(String(byHeader.body['jobId']))).toBe(true);
    expect(await blobs()).toBe(before);

    const late = new FormData();
    late.append('agent', 'writer');
    late.append('files', file(), 'a.md');
    late.append('encrypt', 'true');
    expect(await orchestrator.json('/v1/jobs', { method: 'POST', body: late })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringContaining('before the first file') },
    });
    const lateKey = new FormData();
    lateKey.append('encrypt', 'true');
    lateKey.append('agent', 'writer');
    lateKey.append('files', file(), 'a.md');
    lateKey.append('idempotencyKey', 'late');
    expect(await orchestrator.json('/v1/jobs', { method: 'POST', body: lateKey })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('idempotencyKey') },
    });
  });

  it('over a queue is refused, and the dead letter does not contain the request', async () => {
    await sendToJobs(orchestrator, { agent: 'writer', instructions: SECRET, encrypt: true });
    const letters = new DeadLetters(pool);
    await expect
      .poll(async () => (await letters.list({ limit: 10 })).deadLetters.length, { timeout: 60_000 })
      .toBeGreaterThan(0);
    const { rows } = await pool.query<{ t: string }>('SELECT t::text AS t FROM phaseline.dead_letters AS t');
    expect(rows.map(({ t }) => t).join()).toContain('POST /v1/jobs');
    expect(rows.map(({ t }) => t).join()).not.toContain(SECRET);
  });

  it('to a server without a master key is refused, and the response says what to do', async () => {
    const keyless = await startOrchestrator({}, { beside: orchestrator });
    try {
      const answer = await keyless.json('/v1/jobs', post({ agent: 'writer', encrypt: true }));
      expect(answer).toMatchObject({
        status: 501,
        body: { code: 'encryption_unavailable', message: expect.stringContaining('PHASELINE_MASTER_KEY_FILE') },
      });
      expect((await keyless.json('/v1/jobs', post({ agent: 'writer' }))).status).toBe(201);
    } finally {
      await keyless.stop();
    }
  });
});

describe('erasing', () => {
  it('erases an encrypted job that has ended, once', async () => {
    const jobId = await createEndedJob();
    expect(await client.erase(jobId, { reason: 'asked' })).toMatchObject({
      changed: true,
      erasure: { actor: userInfo().username, reason: 'asked' },
    });
    expect(await client.erase(jobId)).toMatchObject({ changed: false, erasure: { actor: userInfo().username } });
    expect(await client.get(jobId)).toMatchObject({
      status: 'cancelled',
      encrypted: true,
      erasure: { actor: userInfo().username },
    });
    expect(orchestrator.log()).not.toContain(SECRET);
  });

  it('refuses a running job, an unencrypted one and an unknown one', async () => {
    const running = await client.submit({ agent: 'writer', encrypt: true });
    await expect(client.erase(running.jobId)).rejects.toMatchObject({
      code: 'request_refused',
      message: expect.stringContaining('cancel it first'),
    });
    expect((await client.get(running.jobId)).erasure).toBeUndefined();
    const open = await client.submit({ agent: 'writer' });
    await expect(client.erase(open.jobId)).rejects.toMatchObject({ message: expect.stringContaining('not encrypted') });
    await expect(client.erase('01234567-89ab-8def-8123-0123456789ab')).rejects.toMatchObject({ code: 'job_not_found' });
  });

  it('records one of many concurrent requests', async () => {
    const jobId = await createEndedJob();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => client.erase(jobId, { reason: `attempt ${index}` })),
    );
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    const events = await orchestrator.store.readCorrelation(jobId, { types: ['JobErased'] });
    expect(events).toHaveLength(1);
  });

  it('is possible when the master key is lost', async () => {
    const jobId = await createEndedJob();
    const keyless = await startOrchestrator({}, { beside: orchestrator });
    try {
      const answer = await keyless.json(`/v1/jobs/${jobId}/erase`, post({}));
      expect(answer).toMatchObject({ status: 200, body: { changed: true } });
    } finally {
      await keyless.stop();
    }
  });

  it('is final: a failed job that was erased cannot be retried', async () => {
    const { jobId } = await client.submit({ agent: 'writer', encrypt: true, budgets: { maxPhases: 1 } });
    await orchestrator.inPhase(jobId, 1, [
      phaseEvents.todoDone(1),
      phaseEvents.todoDone(2),
      { type: 'PhaseFailed', data: { code: 'stopped_early', message: SECRET, retryable: false } },
    ]);
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'failed' });
    await client.erase(jobId);
    await expect(client.control(jobId, 'retry', {})).rejects.toMatchObject({
      code: 'request_refused',
      message: expect.stringContaining('erased'),
    });
  });
});
