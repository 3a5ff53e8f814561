import { PhaselineClient } from '@phaseline/client';
import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '@phaseline/domain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { phaseEvents, startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const denied = (callId: string): PhaseEvent => ({
  type: 'ToolCallDenied',
  data: { callId: callId as CallId, step: 1, name: 'write_file', code: 'bad_arguments', message: 'no' },
});

it('the report counts the jobs of an agent, its violations and the instructions of the server', async () => {
  const { jobId } = await client.submit({ agent: 'writer' });
  await orchestrator.inPhase(jobId, 1, [
    ...[phaseEvents.answered(1), phaseEvents.answered(2), phaseEvents.todoDone(1)],
    ...[denied('c1'), denied('c2'), phaseEvents.ended('planned')],
  ]);
  await client.submit({ agent: 'writer' });
  const read = (query = {}) => client.learning.report(query);
  await expect
    .poll(async () => (await read()).metrics.repeatedMistakes, { timeout: 20_000 })
    .toEqual({ count: 1, of: 2, share: 0.5 });
  // The second job has not necessarily been counted by then.
  await expect.poll(async () => (await read({ agent: 'writer' })).jobs, { timeout: 20_000 }).toBe(2);
  const report = await read({ agent: 'writer' });
  expect(report).toMatchObject({
    ...{ jobs: 2, hasMore: false },
    antiPatterns: {
      neverRetrieved: { count: 2, of: 2, share: 1 },
      overthinking: { count: 0, of: 1, share: 0 },
      selfScore: { proposals: 0, overConfidence: null },
    },
    metrics: {
      prematureCompletion: { count: 0, of: 2, per100: 0 },
      userPrompts: { questions: 0, approvals: 0, steers: 0, perJob: 0 },
      promptSize: [{ agent: 'writer', lines: expect.any(Number), tokens: expect.any(Number) }],
    },
  });
  expect(report.metrics.promptSize[0]!.tokens).toBeGreaterThan(0);
  expect(await read({ limit: 1 })).toMatchObject({ jobs: 1, hasMore: true });
  expect(await read({ agent: 'other' })).toMatchObject({ jobs: 0, metrics: { promptSize: [] } });
  expect(await read({ since: '2099-01-01T00:00:00Z' })).toMatchObject({ jobs: 0 });
});
