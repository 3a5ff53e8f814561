import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let jobId: string;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url });
  ({ jobId } = await client.submit({ agent: 'writer', instructions: 'Write.' }));
  const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, estimated: false };
  const calls = [1, 2, 3].map((n) => `call-${n}`);
  await orchestrator.inPhase(jobId, 1, [
    {
      type: 'ModelResponded',
      data: {
        step: 1,
        model: 'default',
        content: '',
        calls: [],
        end: 'calls',
        usage,
        costMicroUsd: 250,
        durationMs: 9,
      },
    },
    ...calls.map((callId) => ({
      type: 'ToolCallRequested' as const,
      data: {
        callId,
        step: 1,
        name: 'read_file',
        arguments: {},
        lane: 'remote' as const,
        effect: 'pure' as const,
        traits: [],
        timeoutMs: 1_000,
      },
    })),
    { type: 'ToolCallCompleted', data: { callId: 'call-1', content: 'text', attempts: 1, durationMs: 3 } },
  ]);
  while ((await client.costs()).total.steps === 0) await sleep(20);
});
afterAll(() => orchestrator.stop());

describe('the read models', () => {
  it('list the phases of a job', async () => {
    expect(await client.phases(jobId)).toEqual([
      expect.objectContaining({
        jobId,
        phase: 1,
        kind: 'strategic',
        state: 'plan',
        model: 'default',
        status: 'running',
        usage: { steps: 1, inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, costMicroUsd: 250 },
      }),
    ]);
    expect(await client.phases(randomUUID())).toEqual([]);
  });

  it('list its tool calls, page by page', async () => {
    const found = [];
    for await (const call of client.toolCalls({ jobId, limit: 2 })) found.push([call.callId, call.status]);
    expect(found).toEqual([
      ['call-1', 'completed'],
      ['call-2', 'open'],
      ['call-3', 'open'],
    ]);
    const { body } = await orchestrator.json(`/v1/tool-calls?jobId=${jobId}&phase=2`);
    expect(body).toEqual({ items: [] });
  });

  it('report the cost of models, by each grouping', async () => {
    const usage = { steps: 1, inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, costMicroUsd: 250 };
    for (const [by, key] of [
      ['agent', 'writer'],
      ['model', 'default'],
      ['tenant', 'default'],
      ['job', jobId],
      ['day', new Date().toISOString().slice(0, 10)],
    ] as const) {
      const report = await client.costs({ by });
      expect(report).toEqual({
        by,
        items: [{ key: by === 'day' ? expect.stringMatching(/^\d{4}-/) : key, usage }],
        total: usage,
      });
    }
    const readDay = (day: string) => client.costs({ by: 'tenant', from: day, to: day });
    const present = () => new Date().toISOString().slice(0, 10);
    // Around midnight one of the two may be of another day.
    await expect
      .poll(async () => [await readDay('today'), await readDay(present())])
      .toSatisfy(([today, day]) => JSON.stringify(today) === JSON.stringify(day));
    expect((await orchestrator.json('/v1/costs?from=tomorrow')).status).toBe(400);
    const later = await client.costs({ from: '2999-01-01' });
    expect(later).toMatchObject({ items: [], total: { costMicroUsd: 0 } });
    expect((await client.costs({ to: '2999-01-01' })).total).toEqual(usage);
  });

  it('report the work due on the queues', async () => {
    const history = await client.queueHistory();
    const last = new Map(history.map((minute) => [minute.queue, minute.depth]));
    expect(Object.fromEntries(last)).toEqual({ strategic: 0, tools: 2 });
  });

  it('refuse invalid queries', async () => {
    expect((await orchestrator.json('/v1/phases')).status).toBe(400);
    expect((await orchestrator.json('/v1/phases?jobId=x')).status).toBe(400);
    expect((await orchestrator.json('/v1/costs?by=colour')).status).toBe(400);
    expect((await orchestrator.json('/v1/costs?from=yesterday')).status).toBe(400);
  });

  it('report their lag in the metrics of the service', async () => {
    const metrics = async (): Promise<string> => (await orchestrator.fetch('/metrics')).text();
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^phaseline_projection_lag_events\{.*\} 0$/m);
    expect(await metrics()).toMatch(/^phaseline_projection_lag_seconds\{.*\} 0$/m);
  });
});
