import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalServer } from '@phaseline/testing';
import { countTokens } from '@phaseline/context';
import { createOpenAiModel, modelProfileSchema, computeReadLimitTokens } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/execution';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

const MAX_OUTPUT = 1_000;
/** Tokens per answer that may be in the socket buffers when the client disconnects. */
const IN_FLIGHT = 256;
const USAGE = { prompt_tokens: 50, completion_tokens: 20 };
const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const writeFile = { index: 0, id: 'a', function: { name: 'write_file', arguments: '{"path":"a.md","content":"x"}' } };

/** Answers one request. Calls `charge` once per token that it writes. */
type Behaviour = (response: ServerResponse, charge: () => void) => void | Promise<void>;

const answer: Behaviour = (response) => {
  response.write(chunk({ tool_calls: [writeFile] }));
  response.end(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`);
};

/** Writes one token after the other until the client disconnects. */
const endless =
  (delta: (word: string) => object): Behaviour =>
  async (response, charge) => {
    // Far more than any cap here allows, so that a client that keeps reading is noticed.
    for (let token = 0; token < 60_000 && !response.destroyed; token += 1) {
      charge();
      if (!response.write(chunk(delta(' word'))))
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      else if (token % 8 === 0) await turn();
    }
    response.end('data: [DONE]\n\n');
  };

async function startServer(behaviours: readonly Behaviour[], profileMembers: object = {}) {
  let charged = 0;
  const server = await startLocalServer((incoming, response) => {
    incoming.resume();
    const behaviour = behaviours[Math.min(server.requests.length, behaviours.length) - 1]!;
    void behaviour(response, () => (charged += 1));
  });
  onTestFinished(() => server.close());
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'hostile',
    maxOutputTokens: MAX_OUTPUT,
    // A hundred micro-USD per token of the answer: 1,000 tokens are 10 cents.
    prices: { inputUsdPerMillion: 0, outputUsdPerMillion: 100 },
    retries: { attempts: 4, baseDelayMs: 1, maxDelayMs: 2 },
    ...profileMembers,
  });
  const model = createOpenAiModel({ baseUrl: `${server.url}/v1`, profile, countTokens });
  const configured: ConfiguredModel = { profile, model, contextTokens: 100_000 };
  return { configured, requests: () => server.requests.length, charged: () => charged };
}

async function runJob(server: Awaited<ReturnType<typeof startServer>>, limits: object = { steps: 6 }) {
  const engine = new Engine({
    store: opened.store,
    policy: () => ({}),
    model: server.configured,
    retries: 0,
    agent: { limits, stuck: { enabled: false } },
  });
  const jobId = await engine.submitAndRun({ budgets: { maxCostUsd: 1 } });
  const events = await engine.phaseEvents(jobId, 1);
  return { events, job: await engine.loadJob(jobId) };
}

const ofType = (events: readonly { type: string; data: Record<string, unknown> }[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data);

describe('a server that ignores the output limit', () => {
  const kinds: readonly [string, (word: string) => object][] = [
    ['text', (content) => ({ content })],
    ['reasoning', (reasoning_content) => ({ reasoning_content })],
    ['reasoning in an unknown field', (thinking) => ({ thinking })],
    [
      'arguments of a call',
      (word) => ({ tool_calls: [{ index: 0, id: 'a', function: { name: 'write_file', arguments: word } }] }),
    ],
  ];

  it.each(kinds)('is not read beyond the reserved tokens: %s', async (_, delta) => {
    const server = await startServer([endless(delta)]);
    const { events, job } = await runJob(server, { steps: 50, nudges: 50, deniedCalls: 50 });
    const reserved = ofType(events, 'ModelCallStarted').map((data) => data['reservedMicroUsd']);
    expect(new Set(reserved)).toEqual(new Set([computeReadLimitTokens(MAX_OUTPUT) * 100]));
    // The cap ends the job and was never exceeded, neither in the log nor at the server.
    expect(events.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'cost_limit' } });
    const spent = job.spending.costMicroUsd + job.unconfirmed.costMicroUsd;
    expect(spent).toBeLessThanOrEqual(1_000_000);
    expect(server.requests()).toBe(Math.floor(1_000_000 / (computeReadLimitTokens(MAX_OUTPUT) * 100)));
    expect(server.charged()).toBeLessThanOrEqual(spent / 100 + server.requests() * IN_FLIGHT);
  });

  it('results in a cut answer of which no call is run, not even a complete one', async () => {
    const callThenEndless: Behaviour = async (response, charge) => {
      response.write(chunk({ tool_calls: [writeFile] }));
      await endless((content) => ({ content }))(response, charge);
    };
    const { events } = await runJob(await startServer([callThenEndless]));
    const [first] = ofType(events, 'ModelResponded');
    expect(first).toMatchObject({
      end: 'truncated',
      calls: [{ name: 'write_file', malformed: expect.any(String) as string }],
      usage: { outputTokens: computeReadLimitTokens(MAX_OUTPUT), estimated: true },
    });
    expect(ofType(events, 'ToolCallDenied')[0]).toMatchObject({ code: 'response_truncated' });
    expect(ofType(events, 'FileWritten').map((data) => data['path'])).not.toContain('a.md');
  });

  it('is truncated even if the whole answer arrives in one chunk', async () => {
    const huge: Behaviour = (response) =>
      void response.end(`${chunk({ content: 'word '.repeat(100_000) })}data: [DONE]\n\n`);
    const { events } = await runJob(await startServer([huge]), { steps: 1 });
    const [first] = ofType(events, 'ModelResponded');
    expect(first).toMatchObject({ end: 'truncated' });
    expect(String(first!['content']).length).toBeLessThanOrEqual(computeReadLimitTokens(MAX_OUTPUT) * 8);
  });

  it('is not asked again if its answer is not streamed, since it cannot be stopped', async () => {
    const whole =
      (words: number): Behaviour =>
      (response) =>
        void response.end(
          JSON.stringify({ choices: [{ message: { content: 'word '.repeat(words) }, finish_reason: 'stop' }] }),
        );
    // The first exceeds the token limit, the second already the byte limit.
    for (const words of [5_000, 1_000_000]) {
      const server = await startServer([whole(words)], { streaming: false });
      const { events, job } = await runJob(server);
      expect(server.requests()).toBe(1);
      expect(events.at(-1)).toMatchObject({ type: 'PhaseFailed', data: { code: 'model_failed', retryable: false } });
      expect(job.failure?.message).toContain('Set streaming of the profile default to true');
      // The call was charged an unknown amount, so the whole reservation is kept.
      expect(job.unconfirmed.costMicroUsd).toBe(computeReadLimitTokens(MAX_OUTPUT) * 100);
    }
  });

  it('is distinguished from one whose token counts differ slightly', async () => {
    const words = Math.floor(MAX_OUTPUT * 1.05);
    const honest: Behaviour = (response) => {
      response.write(chunk({ content: ' word'.repeat(words) }));
      response.end(
        `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 999 } })}\n\ndata: [DONE]\n\n`,
      );
    };
    const { events } = await runJob(await startServer([honest]), { steps: 1 });
    expect(ofType(events, 'ModelResponded')[0]).toMatchObject({
      end: 'stop',
      usage: { outputTokens: 999, estimated: false },
    });
  });
});

describe('an error inside an answer with status 200', () => {
  const harmony = 'openai_harmony.HarmonyError: unexpected tokens remaining in message header: model unknown';
  const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
  const errors: readonly [string, string][] = [
    [
      'as the first chunk, as a bad request',
      event({ error: { message: harmony, type: 'BadRequestError', code: 400 } }),
    ],
    ['without a code', event({ error: { message: harmony } })],
    [
      'with the message of another parser',
      event({ error: { message: 'The model produced an unknown token', type: 'BadRequestError', code: 400 } }),
    ],
    [
      'after a part of the answer',
      chunk({ content: 'I ' }) + event({ error: { message: harmony, type: 'BadRequestError', code: 400 } }),
    ],
    [
      'as an event of its own',
      `event: error\ndata: ${JSON.stringify({ message: harmony, type: 'BadRequestError' })}\n\n`,
    ],
    ['as the body', JSON.stringify({ error: { message: harmony, type: 'BadRequestError', code: 400 } })],
    ['as a bare body', JSON.stringify({ object: 'error', message: harmony, type: 'BadRequestError', code: 400 })],
    ['as the exception of a web framework', JSON.stringify({ detail: harmony })],
  ];

  it.each(errors)('is a failed attempt that is repeated from the start: %s', async (_, body) => {
    const fails: Behaviour = (response) => void response.end(body);
    const server = await startServer([fails, answer]);
    const { events, job } = await runJob(server, { steps: 2 });
    expect(events.slice(0, 6).map(({ type }) => type)).toEqual([
      'PhaseStarted',
      'FileWritten',
      'ModelCallStarted',
      'ModelCallFailed',
      'ModelCallStarted',
      'ModelResponded',
    ]);
    expect(events[3]!.data).toMatchObject({ code: 'stream_broken', attempts: 1, mayBeCharged: true });
    expect(job.unconfirmed.costMicroUsd).toBe(computeReadLimitTokens(MAX_OUTPUT) * 100);
  });

  it('is also a failed attempt with status 400', async () => {
    const fails: Behaviour = (response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: harmony, type: 'BadRequestError', code: 400 } }));
    };
    const { events } = await runJob(await startServer([fails, answer]), { steps: 2 });
    expect(events[5]).toMatchObject({ type: 'ModelResponded' });
  });

  it.each([
    ['a wrong key', { message: 'Invalid API key', code: 401 }, 'unauthorized'],
    ['an unknown model', { message: 'no such model', code: 'model_not_found' }, 'model_not_found'],
  ])('is final if the request itself is wrong: %s', async (_, error, code) => {
    const server = await startServer([(response) => void response.end(event({ error }))]);
    const { events } = await runJob(server);
    expect(server.requests()).toBe(1);
    expect(ofType(events, 'ModelCallFailed')[0]).toMatchObject({ code });
  });
});
