import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const quick = { PHASELINE_RECONCILE_INTERVAL_MS: '200', PHASELINE_RECONCILE_IDLE_MS: '100' };
let orchestrator: OrchestratorForSpecs;
let database: pg.Client;
beforeAll(async () => {
  orchestrator = await startOrchestrator(quick);
  database = new pg.Client({ connectionString: orchestrator.databaseUrls.owner });
  await database.connect();
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await database.end();
  await orchestrator.stop();
});

async function partitionsHeld(): Promise<number> {
  const { rows } = await database.query<{ n: string }>(
    `SELECT count(*) AS n FROM phaseline.subscriptions WHERE name = 'orchestrator' AND owner IS NOT NULL`,
  );
  return Number(rows[0]!.n);
}
async function passes(): Promise<number> {
  const text = await (await orchestrator.fetch('/metrics')).text();
  return Number(/phaseline_reconciler_passes_total\{.*outcome="done".*\} (\d+)/.exec(text)?.[1] ?? 0);
}

it.each([600_000, -600_000])(
  'with a clock that is %i ms off, it decides no jobs and leaves them to others',
  async (off) => {
    const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
    await expect.poll(partitionsHeld).toBe(8);
    const waiting = await client.submit({ agent: 'writer' });
    const types = async (jobId: string) => (await orchestrator.store.read(`job-${jobId}`)).map(({ type }) => type);
    await expect.poll(() => types(waiting.jobId)).toContain('PhaseDispatched');

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off });
    await expect.poll(partitionsHeld).toBe(0);
    await expect.poll(async () => (await orchestrator.fetch('/ready')).status).toBe(503);
    const { jobId } = await client.submit({ agent: 'writer' });
    const before = await passes();
    await sleep(3_000);
    expect(await types(jobId)).toEqual(['JobSubmitted']);
    // One pass may still be running when the clock changes.
    expect((await passes()) - before).toBeLessThanOrEqual(1);

    vi.useRealTimers();
    await expect.poll(() => types(jobId)).toContain('PhaseDispatched');
    await expect.poll(partitionsHeld).toBe(8);
    for (const id of [jobId, waiting.jobId]) await client.cancel(id);
  },
);
