import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalServer } from '@phaseline/testing';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/execution';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

/** What the server does with a request. It charges for all but the first two, regardless of what the client receives. */
type Behaviour = 'busy' | 'loading' | 'answer' | 'breaks' | 'ends early' | 'fails' | 'resets';
const MAX_OUTPUT = 1_000;
const ATTEMPTS = 4;
const PROMPT = { prompt_tokens: 50, completion_tokens: MAX_OUTPUT };

/** Starts a server that charges the maximum for every request it processes. It plays `behaviours`, then answers. */
async function startChargingServer(
  behaviours: readonly Behaviour[],
  before: () => Promise<unknown> = async () => undefined,
) {
  let chargedTokens = 0;
  const server = await startLocalServer((incoming, response) => {
    incoming.resume();
    const behaviour = behaviours[server.requests.length - 1] ?? 'answer';
    if (behaviour !== 'busy' && behaviour !== 'loading')
      chargedTokens += PROMPT.prompt_tokens + PROMPT.completion_tokens;
    void before().then(() => play(behaviour, response));
  });
  onTestFinished(() => server.close());
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'charging',
    maxOutputTokens: MAX_OUTPUT,
    // One micro-USD per token, so that costs and tokens are the same number.
    prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 },
    retries: { attempts: ATTEMPTS, baseDelayMs: 1, maxDelayMs: 2 },
  });
  const model = createOpenAiModel({ baseUrl: `${server.url}/v1`, profile, countTokens: (text) => text.length });
  const configured: ConfiguredModel = { profile, model, contextTokens: 100_000 };
  return { configured, requests: () => server.requests.length, chargedTokens: () => chargedTokens };
}

const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const note = { index: 0, id: 'a', function: { name: 'write_file', arguments: '{"path":"a.md","content":"x"}' } };

function play(behaviour: Behaviour, response: ServerResponse): void {
  switch (behaviour) {
    case 'busy':
      return void response.writeHead(429).end('{}');
    case 'loading':
      return void response.writeHead(503).end('{}');
    case 'fails':
      return void response.writeHead(500).end('{}');
    case 'resets':
      return void response.destroy();
    case 'breaks':
      return void response.write(chunk({ content: 'I ' }), () => response.destroy());
    case 'ends early':
      return void response.end(chunk({ content: 'I ' }));
    case 'answer':
      response.write(chunk({ tool_calls: [note] }));
      response.end(`data: ${JSON.stringify({ choices: [], usage: PROMPT })}\n\ndata: [DONE]\n\n`);
  }
}

/** Runs a job that ends only when its cap is reached or its model stays unavailable. */
async function runJob(behaviours: readonly Behaviour[], budgets: { maxCostUsd?: number; maxTokens?: number }) {
  const server = await startChargingServer(behaviours);
  const model = server.configured;
  const engine = new Engine({
    store: opened.store,
    policy: () => ({}),
    model,
    retries: 0,
    // The model writes the same file forever, which is irrelevant here.
    agent: { limits: { steps: 12 }, stuck: { enabled: false } },
  });
  const jobId = await engine.submitAndRun({ budgets });
  const events = await engine.phaseEvents(jobId, 1);
  return { server, events, job: await engine.loadJob(jobId) };
}

const eventTypes = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

describe('attempts at a model call', () => {
  it('are recorded if they may be charged, and each further one gets its own reservation', async () => {
    const { server, events, job } = await runJob(['breaks', 'resets', 'fails'], { maxTokens: 1_000_000 });
    expect(eventTypes(events).slice(0, 10)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'ModelCallFailed',
      'ModelCallStarted',
      'ModelCallFailed',
      'ModelCallStarted',
      'ModelCallFailed',
      'ModelCallStarted',
      'ModelResponded',
    ]);
    const failed = events.filter(({ type }) => type === 'ModelCallFailed').map(({ data }) => data);
    expect(failed).toMatchObject([
      { step: 1, code: 'stream_broken', attempts: 1, mayBeCharged: true },
      { step: 1, code: 'unreachable', attempts: 2, mayBeCharged: true },
      { step: 1, code: 'server_error', attempts: 3, mayBeCharged: true },
    ]);
    const { inputTokens, outputTokens } = job.spending;
    expect(inputTokens + outputTokens + job.unconfirmed.tokens).toBeGreaterThanOrEqual(server.chargedTokens());
  });

  it('are not recorded if they certainly cost nothing', async () => {
    const { events } = await runJob(['busy', 'loading', 'busy'], { maxTokens: 1_000_000 });
    expect(eventTypes(events).slice(0, 4)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'ModelResponded',
    ]);
  });

  it('end after the configured number, and release the reservation of a free one', async () => {
    const { server, events, job } = await runJob(Array<Behaviour>(9).fill('busy'), { maxTokens: 1_000_000 });
    expect(eventTypes(events)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'ModelCallFailed',
      'PhaseFailed',
    ]);
    expect(server.requests()).toBe(ATTEMPTS);
    expect(job).toMatchObject({ status: 'failed', unconfirmed: { costMicroUsd: 0, tokens: 0 } });
    const lost = await runJob(Array<Behaviour>(9).fill('breaks'), { maxTokens: 1_000_000 });
    expect(lost.server.requests()).toBe(ATTEMPTS);
    expect(lost.job.unconfirmed.tokens).toBeGreaterThanOrEqual(lost.server.chargedTokens());
  });

  it('end when the cap does not allow another, even if retries are left', async () => {
    const { server, events } = await runJob(Array<Behaviour>(9).fill('breaks'), { maxTokens: 5_000 });
    expect(events.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'token_limit' } });
    expect(server.requests()).toBeLessThan(ATTEMPTS);
  });

  it('stop at a pause and are repeated after the phase continues', async () => {
    let paused: Promise<unknown> | undefined;
    const server = await startChargingServer(
      ['breaks'],
      () => (paused ??= engine.driver.control(jobId, { action: 'pause', actor: 'ada', reason: '' })),
    );
    const model = server.configured;
    const engine = new Engine({ store: opened.store, policy: () => ({}), model, retries: 0 });
    const jobId = await engine.submit({ budgets: { maxTokens: 20_000 } });
    await engine.run(jobId);
    expect(eventTypes(await engine.phaseEvents(jobId, 1))).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'PhasePaused',
    ]);
    expect(server.requests()).toBe(1);
    await engine.driver.control(jobId, { action: 'resume', actor: 'ada', reason: '' });
    await engine.run(jobId);
    const after = eventTypes(await engine.phaseEvents(jobId, 1)).slice(4, 8);
    expect(after).toEqual(['PhaseResumed', 'PhaseTakenOver', 'ModelCallStarted', 'ModelResponded']);
    const job = await engine.loadJob(jobId);
    expect(job.spending.inputTokens + job.spending.outputTokens + job.unconfirmed.tokens).toBeGreaterThanOrEqual(
      server.chargedTokens(),
    );
    expect(server.chargedTokens()).toBeLessThanOrEqual(20_000);
  });

  it('never exceed the cap together, regardless of their outcome', async () => {
    const behaviour = fc.constantFrom<Behaviour>(
      'busy',
      'loading',
      'answer',
      'breaks',
      'ends early',
      'fails',
      'resets',
    );
    const cap = fc.integer({ min: 2_000, max: 12_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { maxLength: 14 }),
        cap,
        fc.boolean(),
        async (behaviours, limit, inMoney) => {
          const { server, job } = await runJob(
            behaviours,
            inMoney ? { maxCostUsd: limit / 1_000_000 } : { maxTokens: limit },
          );
          expect(server.chargedTokens()).toBeLessThanOrEqual(limit);
          expect(['failed', 'aborted']).toContain(job.status);
        },
      ),
      { numRuns: 20 },
    );
  });
});
