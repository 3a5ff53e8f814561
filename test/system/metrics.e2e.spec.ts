import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhaselineClient, routes, SUBMIT_FORM } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { packSpecs } from '@phaseline/pack-specs';
import { createPool } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';

/** Counters of all four services after a whole job, compared with its log. */

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

let folder: string;
let stack: RunningStack;
let scrapes: readonly { readonly service: string; readonly text: string }[];
let samples: readonly Sample[];
/** Events in the log, counted by type. */
let events: ReadonlyMap<string, number>;
let spent: { input: number; cached: number; output: number; microUsd: number };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-metrics-'));
  const { PATH, HOME } = process.env;
  const prices = { PHASELINE_PRICE_INPUT_USD_PER_MILLION: '3', PHASELINE_PRICE_OUTPUT_USD_PER_MILLION: '15' };
  const env = { PATH, HOME, PHASELINE_HOME: join(folder, 'home'), ...prices };
  stack = await startStack({
    home: await openLocalHome(env, folder),
    plan: planStack(env, { queueBackend: 'postgres' }),
    env,
    signal: new AbortController().signal,
  });
  await runJob();
  // The job starts another one, of the Validator. Metrics and log are compared once nothing happens any more.
  await vi.waitUntil(
    async () => {
      await scrapeAll();
      await readLog();
      const recorded = [...events.values()].reduce((total, value) => total + value, 0);
      return sum('phaseline_events_appended_total') === recorded && sum('phaseline_jobs') === 0;
    },
    { timeout: 120_000, interval: 1_000 },
  );
}, 320_000);
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function runJob(): Promise<void> {
  const body = new FormData();
  body.append(SUBMIT_FORM.request, JSON.stringify({ agent: 'creator' }));
  const document = await readFile(new URL('short-document.md', import.meta.url));
  body.append(SUBMIT_FORM.file, new Blob([document]), 'short-document.md');
  const response = await fetch(`${stack.apiUrl}${routes.jobs()}`, { method: 'POST', body });
  const { jobId } = (await response.json()) as { jobId: string };
  const client = new PhaselineClient({ baseUrl: stack.apiUrl });
  expect(await client.wait(jobId, { timeoutMs: 180_000 })).toMatchObject({ status: 'completed' });
}

async function scrapeAll(): Promise<void> {
  const services = Object.entries(stack.urls).filter(([service]) => service !== 'rehearsal-model');
  scrapes = await Promise.all(
    services.map(async ([service, url]) => ({ service, text: await (await fetch(`${url}/metrics`)).text() })),
  );
  samples = scrapes.flatMap(({ text }) => parseSamples(text));
}

async function readLog(): Promise<void> {
  const pool = createPool(stack.databaseUrl, { max: 1, applicationName: 'spec' });
  try {
    const counted = await pool.query<{ type: string; count: number }>(
      'SELECT type, count(*)::integer AS count FROM phaseline.events GROUP BY type',
    );
    events = new Map(counted.rows.map(({ type, count }) => [type, count]));
    const sum = (path: string): string => `coalesce(sum((data #>> '{${path}}')::bigint), 0)::float8`;
    const { rows } = await pool.query<typeof spent>(
      `SELECT ${sum('usage,inputTokens')} AS input, ${sum('usage,cachedInputTokens')} AS cached,
         ${sum('usage,outputTokens')} AS output, ${sum('costMicroUsd')} AS "microUsd"
       FROM phaseline.events WHERE type IN ('ModelResponded', 'ConversationSummarised', 'JudgeEnded', 'ReflectionRecorded')`,
    );
    spent = rows[0]!;
  } finally {
    await pool.end();
  }
}

function parseSamples(text: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, inner = '', value]) => ({
    name: name!,
    labels: Object.fromEntries([...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!])),
    value: Number(value),
  }));
}

/** Adds up a counter over all services, of the series with these labels. */
function sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
  const matching = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return matching.reduce((total, { value }) => total + value, 0);
}

const count = (type: string): number => events.get(type) ?? 0;

it('steps, jobs, phases and tool calls are as many as the log says', () => {
  expect(count('ModelResponded')).toBeGreaterThan(10);
  expect(sum('phaseline_steps_total')).toBe(count('ModelResponded'));
  expect(count('JobCompleted')).toBeGreaterThan(0);
  expect(sum('phaseline_jobs_submitted_total')).toBe(count('JobSubmitted'));
  expect(sum('phaseline_jobs_ended_total', { outcome: 'completed' })).toBe(count('JobCompleted'));
  expect(sum('phaseline_jobs_ended_total')).toBe(count('JobSubmitted'));
  expect(sum('phaseline_phases_ended_total', { outcome: 'completed' })).toBe(count('PhaseCompleted'));
  expect(sum('phaseline_gate_decisions_total', { outcome: 'passed' })).toBe(count('PhaseCompleted'));
  expect(sum('phaseline_gate_decisions_total', { outcome: 'refused' })).toBe(count('TransitionRejected'));
  for (const [outcome, type] of [
    ['completed', 'ToolCallCompleted'],
    ['failed', 'ToolCallFailed'],
    ['denied', 'ToolCallDenied'],
  ] as const)
    expect(sum('phaseline_tool_calls_total', { outcome }), outcome).toBe(count(type));
});

it('tools are counted by their names in the code, by the process that ran them', () => {
  const tools = samples.filter(({ name }) => name === 'phaseline_tool_calls_total');
  const known = new Set([...packSpecs.flatMap((pack) => pack.tools.map(({ name }) => name)), '(other)']);
  expect(tools.filter(({ labels }) => !known.has(labels['tool']!))).toEqual([]);
  expect(new Set(tools.map(({ labels }) => labels['service']))).toEqual(
    new Set(['strategic-worker', 'tactical-worker', 'tool-runner']),
  );
});

it('tokens and money are what the log says', () => {
  expect(spent.microUsd).toBeGreaterThan(0);
  expect(sum('phaseline_model_tokens_total', { kind: 'input' })).toBe(spent.input - spent.cached);
  expect(sum('phaseline_model_tokens_total', { kind: 'cached' })).toBe(spent.cached);
  expect(sum('phaseline_model_tokens_total', { kind: 'output' })).toBe(spent.output);
  expect(sum('phaseline_model_cost_usd_total')).toBeCloseTo(spent.microUsd / 1_000_000, 9);
});

it('every queue has workers, and nothing waits', () => {
  const queues = samples.filter(({ name }) => name === 'phaseline_queue_workers');
  expect(queues.map(({ labels, value }) => [labels['queue'], value >= 1])).toEqual(
    ['jobs', 'strategic', 'tactical', 'tools', 'timers', 'repositories'].map((queue) => [queue, true]),
  );
  expect(sum('phaseline_queue_oldest_age_seconds')).toBe(0);
});

it('promtool accepts the metrics of every service, if it is installed', ({ skip }) => {
  expect(scrapes.map(({ service }) => service)).toHaveLength(4);
  for (const { service, text } of scrapes) {
    const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    if (check.error) return skip('promtool is not on the PATH');
    expect({ status: check.status, said: `${check.stdout}${check.stderr}` }, service).toEqual({ status: 0, said: '' });
  }
});
