import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/phase-runner';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(async () => {
  await opened.close();
});
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

/** What the server does with a request. All but the first two are work that it charges for, whatever arrives of it. */
type Deed = 'busy' | 'loading' | 'answer' | 'breaks' | 'ends early' | 'fails' | 'resets';
const MAX_OUTPUT = 1_000;
const ATTEMPTS = 4;
const PROMPT = { prompt_tokens: 50, completion_tokens: MAX_OUTPUT };

/** A server that charges the most it may for every request that it worked on. It plays `deeds`, then it answers. */
async function chargingServer(deeds: readonly Deed[], before: () => Promise<unknown> = async () => undefined) {
  let requests = 0;
  let chargedTokens = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    const deed = deeds[requests++] ?? 'answer';
    if (deed !== 'busy' && deed !== 'loading') chargedTokens += PROMPT.prompt_tokens + PROMPT.completion_tokens;
    void before().then(() => play(deed, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'charging',
    maxOutputTokens: MAX_OUTPUT,
    // One micro-USD a token, so that money and tokens are the same figure.
    prices: { inputPerMillion: 1, outputPerMillion: 1 },
    retries: { attempts: ATTEMPTS, baseDelayMs: 1, maxDelayMs: 2 },
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = createOpenAiModel({ baseUrl, profile, countTokens: (text) => text.length });
  const configured: ConfiguredModel = { profile, model, contextTokens: 100_000 };
  return { configured, requests: () => requests, chargedTokens: () => chargedTokens };
}

const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const note = { index: 0, id: 'a', function: { name: 'write_file', arguments: '{"path":"a.md","content":"x"}' } };

function play(deed: Deed, response: ServerResponse): void {
  switch (deed) {
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

/** A job that ends only with its cap, or when its model cannot be had. */
async function runJob(deeds: readonly Deed[], budgets: { maxCostUsd?: number; maxTokens?: number }) {
  const server = await chargingServer(deeds);
  const model = server.configured;
  const engine = new Engine({
    store: opened.store,
    policy: () => ({}),
    model,
    retries: 0,
    // Its model writes the same file for ever; here that is no matter.
    agent: { limits: { steps: 12 }, stuck: { enabled: false } } as never,
  });
  const jobId = await engine.submit({ budgets });
  await engine.run(jobId);
  const events = await engine.phaseEvents(jobId, 1);
  return { server, events, job: (await engine.histories.job(jobId))! };
}

const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

describe('attempts at a model call', () => {
  it('that may be charged are recorded, and each next one is reserved for anew', async () => {
    const { server, events, job } = await runJob(['breaks', 'resets', 'fails'], { maxTokens: 1_000_000 });
    expect(types(events).slice(0, 9)).toEqual([
      'PhaseStarted',
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
    expect(inputTokens + outputTokens + job.unsettled.tokens).toBeGreaterThanOrEqual(server.chargedTokens());
  });

  it('that surely cost nothing leave no trace', async () => {
    const { events } = await runJob(['busy', 'loading', 'busy'], { maxTokens: 1_000_000 });
    expect(types(events).slice(0, 3)).toEqual(['PhaseStarted', 'ModelCallStarted', 'ModelResponded']);
  });

  it('end with the policy, and give back what was reserved for one that cost nothing', async () => {
    const { server, events, job } = await runJob(Array<Deed>(9).fill('busy'), { maxTokens: 1_000_000 });
    expect(types(events)).toEqual(['PhaseStarted', 'ModelCallStarted', 'ModelCallFailed', 'PhaseFailed']);
    expect(server.requests()).toBe(ATTEMPTS);
    expect(job).toMatchObject({ status: 'failed', unsettled: { costMicroUsd: 0, tokens: 0 } });
    const lost = await runJob(Array<Deed>(9).fill('breaks'), { maxTokens: 1_000_000 });
    expect(lost.server.requests()).toBe(ATTEMPTS);
    expect(lost.job.unsettled.tokens).toBeGreaterThanOrEqual(lost.server.chargedTokens());
  });

  it('end where the cap has no room for another, however many the policy has left', async () => {
    const { server, events } = await runJob(Array<Deed>(9).fill('breaks'), { maxTokens: 5_000 });
    expect(events.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'token_limit' } });
    expect(server.requests()).toBeLessThan(ATTEMPTS);
  });

  it('end with a pause, and are made again once the phase goes on', async () => {
    let paused: Promise<unknown> | undefined;
    const server = await chargingServer(
      ['breaks'],
      () => (paused ??= engine.driver.control(jobId, { action: 'pause', actor: 'ada', reason: '' })),
    );
    const model = server.configured;
    const engine = new Engine({ store: opened.store, policy: () => ({}), model, retries: 0 });
    const jobId = await engine.submit({ budgets: { maxTokens: 20_000 } });
    await engine.run(jobId);
    expect(types(await engine.phaseEvents(jobId, 1))).toEqual(['PhaseStarted', 'ModelCallStarted', 'PhasePaused']);
    expect(server.requests()).toBe(1);
    await engine.driver.control(jobId, { action: 'resume', actor: 'ada', reason: '' });
    await engine.run(jobId);
    const after = types(await engine.phaseEvents(jobId, 1)).slice(3, 7);
    expect(after).toEqual(['PhaseContinued', 'PhaseResumed', 'ModelCallStarted', 'ModelResponded']);
    const job = (await engine.histories.job(jobId))!;
    expect(job.spending.inputTokens + job.spending.outputTokens + job.unsettled.tokens).toBeGreaterThanOrEqual(
      server.chargedTokens(),
    );
    expect(server.chargedTokens()).toBeLessThanOrEqual(20_000);
  });

  it('never pass the cap together, whatever becomes of them', async () => {
    const deed = fc.constantFrom<Deed>('busy', 'loading', 'answer', 'breaks', 'ends early', 'fails', 'resets');
    const cap = fc.integer({ min: 2_000, max: 12_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 14 }), cap, fc.boolean(), async (deeds, most, inMoney) => {
        const { server, job } = await runJob(deeds, inMoney ? { maxCostUsd: most / 1_000_000 } : { maxTokens: most });
        expect(server.chargedTokens()).toBeLessThanOrEqual(most);
        expect(job.status).toBe('failed');
      }),
      { numRuns: 20 },
    );
  });
});
