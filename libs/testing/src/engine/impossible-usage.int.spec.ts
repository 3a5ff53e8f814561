import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeJobEvent, decodePhaseEvent } from '@phaseline/domain';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());
const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0)) step();
});

const MAX_OUTPUT = 1_000;

/** A server that answers with a few words each time, and says that it took as many tokens as `usage` has it, word for word. */
async function boastingServer(usage: string): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    const message = { role: 'assistant', content: 'I have looked at it.' };
    const answer = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    response.end(`${answer.slice(0, -1)},"usage":${usage}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A job over the real client whose model only talks, so that it fails after some nudges. */
async function runJob(usage: string) {
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'boasting',
    streaming: false,
    maxOutputTokens: MAX_OUTPUT,
    prices: { inputPerMillion: 3, outputPerMillion: 15 },
    retries: { attempts: 1 },
  });
  const model = createOpenAiModel({
    baseUrl: await boastingServer(usage),
    profile,
    countTokens: (text) => text.length,
  });
  const engine = new Engine({
    store: opened.store,
    policy: () => ({}),
    model: { profile, model, contextTokens: 100_000 },
    retries: 0,
  });
  const jobId = await engine.submit();
  await engine.run(jobId);
  return { engine, jobId };
}

describe('a server that reports impossible usage', () => {
  it.each([
    ['2^53 - 1 tokens of output', '{"prompt_tokens":50,"completion_tokens":9007199254740991}'],
    ['2^53 - 1 tokens of input', '{"prompt_tokens":9007199254740991,"completion_tokens":5}'],
    [
      'more cached than there can be',
      '{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":9007199254740991}}',
    ],
    ['an infinite number', '{"prompt_tokens":50,"completion_tokens":1e999}'],
    ['a negative number', '{"prompt_tokens":50,"completion_tokens":-7}'],
    ['a fraction', '{"prompt_tokens":50.25,"completion_tokens":0.5}'],
  ])('makes no job unreadable: %s', async (_what, usage) => {
    const { engine, jobId } = await runJob(usage);
    const job = (await engine.histories.job(jobId))!;
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
      // So the caps on money hold: no answer costs more than was reserved for it.
      expect(data['costMicroUsd']).toBeLessThanOrEqual(started[index]!.data['reservedMicroUsd'] as number);
    }
  });
});
