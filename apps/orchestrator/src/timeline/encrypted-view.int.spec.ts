import { PhaselineClient } from '@phaseline/client';
import { MasterKeys } from '@phaseline/event-store';
import { expect, it, onTestFinished } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';

it('an encrypted job has an index, rows, a timeline and a workflow, also after its erasure, without its content', async () => {
  const orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() });
  onTestFinished(async () => void (await orchestrator.stop()));
  const client = new PhaselineClient({ baseUrl: orchestrator.url });
  const { jobId } = await client.submit({ agent: 'writer', instructions: 'zwynquox', encrypt: true });
  await orchestrator.inPhase(jobId, 1, [
    {
      type: 'ToolCallRequested',
      data: {
        ...{ callId: 'call-1', step: 1, name: 'fetch', arguments: { path: 'zwynquox' }, lane: 'remote' },
        ...{ effect: 'pure', traits: [], timeoutMs: 1_000 },
      },
    },
  ]);
  const read = async () => {
    const views = [client.eventIndex(jobId), client.eventRows(jobId), client.timeline(jobId), client.workflow(jobId)];
    const [index, rows, timeline, workflow] = await Promise.all(views);
    return { index, rows, timeline, workflow };
  };
  const before = await read();
  expect(JSON.stringify(before)).not.toContain('zwynquox');
  expect(before.index).toMatchObject({ anchors: [{ position: 0 }] });
  expect(before.timeline).toMatchObject({
    phases: [
      {
        phase: 1,
        state: 'plan',
        spans: expect.arrayContaining([expect.objectContaining({ name: 'fetch' })]) as object,
      },
    ],
  });
  expect(before.workflow).toMatchObject({ name: 'short', states: [{ name: 'plan' }, { name: 'review' }] });
  await client.cancel(jobId);
  await client.wait(jobId, { signal: AbortSignal.timeout(20_000) });
  await client.erase(jobId, { reason: 'asked' });
  const after = await read();
  expect(after.timeline).toMatchObject({ phases: [{ phase: 1, state: 'plan', outcome: 'cancelled' }] });
  expect(after.workflow).toEqual(before.workflow);
}, 60_000);
