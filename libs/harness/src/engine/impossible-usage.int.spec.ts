import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalServer } from '@phaseline/testing';
import { decodeJobEvent, decodePhaseEvent } from '@phaseline/domain';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

const MAX_OUTPUT = 1_000;

/** Starts a server that sends a short answer and reports `usage` verbatim. */
async function startServer(usage: string): Promise<string> {
  const server = await startLocalServer((incoming, response) => {
    incoming.resume();
    const message = { role: 'assistant', content: 'I have looked at it.' };
    const answer = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    response.end(`${answer.slice(0, -1)},"usage":${usage}}`);
  });
  onTestFinished(() => server.close());
  return `${server.url}/v1`;
}

/** Runs a job with the real client and a model that makes no calls, so that it fails after some nudges. */
async function runJob(usage: string) {
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'boasting',
    streaming: false,
    maxOutputTokens: MAX_OUTPUT,
    prices: { inputUsdPerMillion: 3, outputUsdPerMillion: 15 },
    retries: { attempts: 1 },
  });
  const model = createOpenAiModel({
    baseUrl: await startServer(usage),
    profile,
    countTokens: (text) => text.length,
  });
  const engine = new Engine({
    store: opened.store,
    policy: () => ({}),
    model: { profile, model, contextTokens: 100_000 },
    retries: 0,
  });
  const jobId = await engine.submitAndRun();
  return { engine, jobId };
}

describe('a server that reports impossible usage', () => {
  it.each([
    ['2^53 - 1 tokens of output', '{"prompt_tokens":50,"completion_tokens":9007199254740991}'],
    ['2^53 - 1 tokens of input', '{"prompt_tokens":9007199254740991,"completion_tokens":5}'],
    [
      'more cached tokens than input tokens',
      '{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":9007199254740991}}',
    ],
    ['an infinite number', '{"prompt_tokens":50,"completion_tokens":1e999}'],
    ['a negative number', '{"prompt_tokens":50,"completion_tokens":-7}'],
    ['a fraction', '{"prompt_tokens":50.25,"completion_tokens":0.5}'],
  ])('leaves every job readable: %s', async (_what, usage) => {
    const { engine, jobId } = await runJob(usage);
    const job = await engine.loadJob(jobId);
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'stopped_early' } });

    const events = await opened.store.readCorrelation(jobId, { texts: 'whole' });
    for (const event of events) (event.streamId.startsWith('job-') ? decodeJobEvent : decodePhaseEvent)(event);
    const answers = events.filter(({ type }) => type === 'ModelResponded');
    const started = events.filter(({ type }) => type === 'ModelCallStarted');
    expect(answers.length).toBeGreaterThan(1);
    expect(answers).toHaveLength(started.length);
    for (const [index, { data }] of answers.entries()) {
      const told = data['usage'] as { outputTokens: number; cachedInputTokens: number; inputTokens: number };
      expect(told.outputTokens).toBeLessThanOrEqual(MAX_OUTPUT);
      expect(told.cachedInputTokens).toBeLessThanOrEqual(told.inputTokens);
      // Cost caps hold because no answer costs more than was reserved for it.
      expect(data['costMicroUsd']).toBeLessThanOrEqual(started[index]!.data['reservedMicroUsd'] as number);
    }
  });
});
