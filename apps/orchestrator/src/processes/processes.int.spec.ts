import { PhaselineClient } from '@phaseline/client';
import { createPool } from '@phaseline/event-store';
import { expect, it, onTestFinished } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';

it('processes are listed with their work, and work of jobs that the caller may not see is only counted', async () => {
  const orchestrator = await startOrchestrator();
  onTestFinished(async () => void (await orchestrator.stop()));
  const pool = createPool(orchestrator.databaseUrls.service, { max: 1 });
  onTestFinished(() => pool.end());
  const client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  const { jobId } = await client.submit({ agent: 'writer' });
  const unknown = 'phase-00000000-0000-4000-8000-000000000000-1';
  await pool.query(
    `INSERT INTO phaseline.processes (process_id, service, host, abilities, leases)
     VALUES ('w-1', 'tactical-worker', 'box', '{"sandbox": {"mechanism": null, "reasons": ["too old"]}, "x": 1}', $1)`,
    [[`phase-${jobId}-1/call_1_1_1`, unknown]],
  );
  const processes = await client.processes();
  expect(processes.map(({ service }) => service)).toContain('orchestrator');
  expect(processes.find(({ processId }) => processId === 'w-1')).toMatchObject({
    ...{ host: 'box', isDead: false, otherLeases: 1, sandbox: { mechanism: null, reasons: ['too old'] } },
    leases: [{ jobId, phase: 1, callId: 'call_1_1_1' }],
  });
  // A release that does not report its pid: the number in its id is none.
  expect(processes.find(({ processId }) => processId === 'w-1')).not.toHaveProperty('pid');
  expect(processes.find(({ service }) => service === 'orchestrator')).toMatchObject({ pid: process.pid });
  await expect
    .poll(async () => (await client.processes()).find(({ service }) => service === 'orchestrator')?.queues)
    .toEqual(['jobs', 'timers']);
  expect(processes.find(({ processId }) => processId === 'w-1')).not.toHaveProperty('load');
  await expect
    .poll(async () => (await client.processes()).find(({ service }) => service === 'orchestrator')?.load)
    .toEqual({ running: 0, concurrency: 14 });
  expect(JSON.stringify(processes)).not.toContain('00000000-0000-4000');
});
