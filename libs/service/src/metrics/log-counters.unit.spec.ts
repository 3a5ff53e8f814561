import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';
import { LogCounters } from './log-counters.js';

let registry: Registry;
let counters: LogCounters;

beforeEach(() => {
  registry = new Registry();
  counters = new LogCounters(registry);
});

/** Returns the values of a metric that are not 0, by their labels. */
async function readValues(name: string): Promise<Record<string, number>> {
  const metrics = await registry.getMetricsAsJSON();
  const { values } = metrics.find((metric) => metric.name === name)!;
  return Object.fromEntries(
    values.filter(({ value }) => value !== 0).map(({ labels, value }) => [Object.values(labels).join('/'), value]),
  );
}

const answer = {
  model: 'default',
  usage: { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 50, estimated: false },
  costMicroUsd: 2_500,
  durationMs: 1_500,
};

it('counts steps, model calls, tokens and money by profile', async () => {
  counters.count([
    { type: 'ModelResponded', data: answer },
    { type: 'ToolCallCompleted', data: { attempts: 1 } },
  ]);
  const usage = { ...answer.usage, cacheWriteInputTokens: 500 };
  counters.count([{ type: 'ConversationSummarised', data: { ...answer, usage, model: 'cheap' } }]);
  counters.count([{ type: 'JudgeEnded', data: answer }]);
  expect(await readValues('phaseline_steps_total')).toEqual({ '': 1 });
  expect(await readValues('phaseline_model_calls_total')).toEqual({ 'default/answered': 2, 'cheap/answered': 1 });
  expect(await readValues('phaseline_model_tokens_total')).toEqual({
    ...{ 'default/input': 1_200, 'default/cached': 800, 'default/output': 100 },
    ...{ 'cheap/input': 100, 'cheap/cached': 400, 'cheap/cache_write': 500, 'cheap/output': 50 },
  });
  expect(await readValues('phaseline_model_cost_usd_total')).toEqual({ default: 0.005, cheap: 0.0025 });
});

it('counts a failed model call once, with its profile if the log names it', async () => {
  const failed = { type: 'ModelCallFailed', data: { model: 'default' } };
  const end = { type: 'PhaseFailed', data: { code: 'model_failed' } };
  counters.count([failed, { type: 'ModelCallStarted', data: {} }]);
  counters.count([failed, end]);
  counters.count([end]);
  counters.count([{ type: 'PhaseFailed', data: { code: 'stuck' } }]);
  expect(await readValues('phaseline_model_calls_total')).toEqual({ 'default/failed': 2, '(unknown)/failed': 1 });
  expect(await readValues('phaseline_retries_total')).toEqual({ model: 1 });
  expect(await readValues('phaseline_phases_ended_total')).toEqual({ model_failed: 2, stuck: 1 });
});

it('counts decisions of gates, claims and guards', async () => {
  const guard = { scope: 'tenant', stage: 'production' };
  counters.count([
    { type: 'PhaseCompleted', data: {} },
    { type: 'TransitionRejected', data: { gate: 'deliverables' } },
    { type: 'ClaimAccepted', data: {} },
    { type: 'ClaimRefused', data: {} },
    { type: 'GuardDecided', data: { guard, decision: 'deny' } },
    { type: 'GuardDecided', data: { guard, decision: 'allow', failure: {} } },
    { type: 'GuardDecided', data: { guard, decision: 'deny', override: {} } },
    { type: 'GuardDecided', data: { guard: { scope: 'agent', stage: 'shadow' }, decision: 'deny' } },
  ]);
  expect(await readValues('phaseline_gate_decisions_total')).toEqual({ 'all/passed': 1, 'deliverables/refused': 1 });
  expect(await readValues('phaseline_claim_decisions_total')).toEqual({ accepted: 1, refused: 1 });
  expect(await readValues('phaseline_guard_decisions_total')).toEqual({
    ...{ 'tenant/denied': 1, 'tenant/failed': 1, 'tenant/overridden': 1, 'agent/shadow': 1 },
  });
});

it('counts jobs, retries and takeovers, and ignores what concerns no counter', async () => {
  counters.count([{ type: 'JobSubmitted', data: {} }]);
  counters.count([
    { type: 'PhaseDispatched', data: { attempt: 1 } },
    { type: 'PhaseDispatched', data: { attempt: 3 } },
    { type: 'ToolCallFailed', data: { attempts: 4 } },
    { type: 'PhaseTakenOver', data: {} },
    { type: 'JobRetried', data: {} },
    { type: 'JobFailed', data: {} },
    { type: 'JobFailed', data: { end: 'blocked' } },
    { type: 'SecretStored', data: {} },
  ]);
  expect(await readValues('phaseline_jobs_submitted_total')).toEqual({ '': 1 });
  expect(await readValues('phaseline_jobs_ended_total')).toEqual({ failed: 1, blocked: 1 });
  expect(await readValues('phaseline_retries_total')).toEqual({ phase: 1, tool: 3, job: 1 });
  expect(await readValues('phaseline_takeovers_total')).toEqual({ '': 1 });
});

it('series with known labels exist from the start, so that rates count their first event', async () => {
  const text = await registry.metrics();
  expect(text).toContain('phaseline_jobs_ended_total{outcome="failed"} 0');
  expect(text).toContain('phaseline_retries_total{kind="tool"} 0');
});
