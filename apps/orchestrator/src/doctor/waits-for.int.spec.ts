import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { ProcessRegistry } from '@phaseline/cluster';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  appendUnchecked,
  phaseEvents,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  orchestrator = await startOrchestrator({
    PHASELINE_QUARANTINE_AFTER_FAILURES: '2',
    PHASELINE_RECONCILE_INTERVAL_MS: '100',
    PHASELINE_RECONCILE_IDLE_MS: '50',
    PHASELINE_STALL_LIMIT_MS: '500',
  });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  pool = createPool(orchestrator.databaseUrls.owner, { max: 3 });
});
afterAll(async () => {
  await pool.end();
  await orchestrator.stop();
});

const waitsFor = async (jobId: string) => (await client.get(jobId)).waitsFor;
const called = (leaseOwner: string) => buildModelCallStarted(1, { leaseOwner });

it('a job shows what it waits for, and when that is missing', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  await expect
    .poll(() => waitsFor(jobId), { timeout: 10_000 })
    .toMatchObject({
      kind: 'message',
      description: 'a worker of the queue strategic to take phase 1',
      since: expect.any(String) as string,
      // No worker runs in this spec.
      problem: 'no running process takes messages of the queue strategic; start a strategic-worker',
      command: 'docker compose up -d strategic-worker',
    });
  const worker = new ProcessRegistry(pool, { queues: () => ['strategic'] });
  await worker.heartbeat('strategic-worker-idle', 'strategic-worker');
  await expect.poll(async () => (await waitsFor(jobId))?.problem, { timeout: 10_000 }).toBeUndefined();
  await worker.close();
  await orchestrator.inPhase(jobId, 1, [called('strategic-worker-gone')]);
  expect(await waitsFor(jobId)).toMatchObject({
    kind: 'lease',
    leaseOwner: 'strategic-worker-gone',
    description: "the model's answer to step 1 of phase 1, requested by strategic-worker-gone",
    problem: 'that process has died or released it; the reconciler dispatches it again within seconds',
  });
  await orchestrator.inPhase(jobId, 1, [phaseEvents.answered(1), phaseEvents.completed()]);
  await expect.poll(async () => (await client.get(jobId)).status, { timeout: 10_000 }).toBe('completed');
  expect(await waitsFor(jobId)).toBeUndefined();
});

it('a job whose log cannot be read is quarantined with the reason, and is released by a retry', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  const streamId = `job-${jobId}`;
  const append = async (): Promise<void> => {
    const head = await orchestrator.store.head(streamId);
    await appendUnchecked(orchestrator, {
      streamId,
      correlationId: jobId,
      expectedVersion: head!.version,
      events: [{ eventId: randomUUID(), type: 'JobTeleported', schemaVersion: 1, data: {}, metadata: {} }],
    });
  };
  await expect.poll(append, { timeout: 10_000 }).toBeUndefined();
  await expect
    .poll(() => waitsFor(jobId), { timeout: 15_000 })
    .toMatchObject({
      kind: 'quarantine',
      description: expect.stringMatching(
        /^a person: job-.* failed 2 times in the same way and was quarantined .*JobTeleported/,
      ) as string,
      until: expect.any(String) as string,
    });
  expect(await (await orchestrator.fetch('/metrics')).text()).toMatch(/phaseline_quarantined_streams\{.*\} 1/);
  const countReports = () => orchestrator.log().split('it is quarantined').length - 1;
  expect(countReports()).toBe(1);

  const answer = await orchestrator.json(`/v1/jobs/${jobId}/retry`, { method: 'POST' });
  expect(answer).toMatchObject({ status: 200, body: { changed: true } });
  // It is checked again and, as nothing has changed, quarantined again.
  await expect.poll(countReports, { timeout: 15_000 }).toBe(2);
  expect(await waitsFor(jobId)).toMatchObject({ kind: 'quarantine' });
});

it('an orchestrator that makes no progress with waiting events is not ready, and names the transaction as the cause', async () => {
  const ready = async () => {
    const { status, body } = await orchestrator.json('/ready');
    return { status, message: String(body['message'] ?? '') };
  };
  const open = await pool.connect();
  try {
    await open.query('BEGIN; SELECT pg_current_xact_id()');
    await client.submit({ agent: 'writer' });
    await expect.poll(ready, { timeout: 15_000 }).toMatchObject({
      status: 503,
      message: expect.stringMatching(
        /control: events have been waiting for .* a transaction that is still open holds them back/,
      ) as string,
    });
  } finally {
    // Left open, it would delay every other spec on this server.
    open.release(true);
  }
  await expect.poll(ready, { timeout: 15_000 }).toMatchObject({ status: 200 });
});

it('an orchestrator whose searches for lost work fail is not ready, until one succeeds', async () => {
  const ready = async () => {
    const { status, body } = await orchestrator.json('/ready');
    return { status, message: String(body['message'] ?? '') };
  };
  await pool.query('ALTER TABLE phaseline.quarantine RENAME TO quarantine_away');
  await expect.poll(ready, { timeout: 20_000 }).toMatchObject({
    status: 503,
    message: expect.stringMatching(/reconciler: the last \d+ searches for lost work failed: .*quarantine/) as string,
  });
  await pool.query('ALTER TABLE phaseline.quarantine_away RENAME TO quarantine');
  await expect.poll(ready, { timeout: 20_000 }).toMatchObject({ status: 200 });
});
