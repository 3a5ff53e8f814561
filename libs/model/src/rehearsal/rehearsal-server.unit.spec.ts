import type { ChatMessage, ChatRequest } from '@phaseline/domain';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiModel } from '../openai-model.js';
import { discoverContextTokens } from '../profile/discover-context-tokens.js';
import { modelProfileSchema } from '../profile/model-profile.js';
import { echo } from './policies/echo.js';
import { scripted } from './policies/scripted.js';
import type { RehearsalAnswer } from './rehearsal-policy.js';
import { startRehearsalServer, type RehearsalServer, type RehearsalServerOptions } from './rehearsal-server.js';

let server: RehearsalServer;

async function start(options: Partial<RehearsalServerOptions> = {}): Promise<RehearsalServer> {
  server = await startRehearsalServer({ policies: [echo], ...options });
  return server;
}

afterEach(() => server.close());

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Grüße 👋 an alle, die hier mitlesen, und auch an die anderen' }],
  tools: [{ name: 'write_file', description: 'Writes', parameters: { type: 'object' } }],
};

function modelOf(profile: object = {}, apiKey = '') {
  const parsed = modelProfileSchema.parse({ name: 'test', model: 'rehearsal', retries: { attempts: 1 }, ...profile });
  return createOpenAiModel({ baseUrl: server.baseUrl, apiKey, profile: parsed, countTokens: (text) => text.length });
}

const ask = (profile: object = {}, changed: Partial<ChatRequest> = {}, apiKey = '') =>
  modelOf(profile, apiKey).complete({ ...request, ...changed }, { signal: new AbortController().signal });

const post = (body: unknown): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('the rehearsal server', () => {
  const turns: readonly [string, RehearsalAnswer][] = [
    ['words', { content: `${'👩‍🚀 and "quotes" '.repeat(12)}more than fit into one piece` }],
    ['reasoning', { content: 'So be it.', reasoning: 'Let me think about this for a little while longer.' }],
    [
      'calls',
      {
        calls: [
          { name: 'write_file', arguments: { path: 'ü.md', content: 'line\n'.repeat(20) } },
          { name: 'write_file', arguments: {} },
        ],
      },
    ],
    ['words and calls', { content: 'Writing.', calls: [{ name: 'write_file', arguments: { path: 'a' } }] }],
    ['nothing', {}],
  ];

  it.each(turns)('says the same streamed and whole: %s', async (_, turn) => {
    await start({ policies: [scripted([turn])] });
    const deltas: string[] = [];
    const signal = new AbortController().signal;
    const streamed = await modelOf().complete(request, {
      signal,
      onDelta: (delta) => deltas.push(delta.content ?? ''),
    });
    const whole = await ask({ streaming: false });
    expect(streamed).toEqual(whole);
    expect(streamed.usage.estimated).toBe(false);
    expect(deltas.join('')).toBe(whole.content);
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    const { content = '', reasoning } = turn;
    expect([streamed.content, streamed.reasoning]).toEqual([content, reasoning]);
    expect(
      streamed.calls.map((call) => ({
        name: call.name,
        arguments: call.arguments.kind === 'parsed' && call.arguments.value,
      })),
    ).toEqual(turn.calls ?? []);
  });

  it('gives the same bytes for the same request, and signs them as a stand-in', async () => {
    await start();
    const body = { model: 'rehearsal', messages: [{ role: 'user', content: 'Hi' }] };
    const first = await (await post(body)).text();
    expect(await (await post(body)).text()).toBe(first);
    expect(JSON.parse(first)).toMatchObject({ model: 'rehearsal', system_fingerprint: 'rehearsal' });
    const stream = await (await post({ ...body, stream: true })).text();
    expect(stream.match(/"system_fingerprint":"rehearsal"/g)?.length).toBe(3);
    expect(stream).not.toContain('usage');
  });

  it('plays a script by the answers that the conversation holds, and says when it is over', async () => {
    await start({
      policies: [scripted([{ content: 'one' }, (asked) => ({ content: `two of ${asked.toolNames.join()}` })])],
    });
    const after = (count: number): { messages: ChatMessage[] } => ({
      messages: [
        ...request.messages,
        ...Array.from({ length: count }, (): ChatMessage => ({ role: 'assistant', content: 'x' })),
      ],
    });
    expect((await ask()).content).toBe('one');
    expect((await ask({}, after(1))).content).toBe('two of write_file');
    expect((await ask()).content).toBe('one');
    await expect(ask({}, after(2))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('2 turns') as string,
    });
  });

  it('asks the first policy that knows the conversation, and refuses what none knows', async () => {
    const silent = scripted([{ content: 'scripted' }], (asked) => asked.toolNames.length === 0);
    await start({ policies: [silent] });
    expect((await ask({}, { tools: [] })).content).toBe('scripted');
    await expect(ask()).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('OPENAI_BASE_URL') as string,
    });
  });

  it('calls a policy that throws a failure of the server', async () => {
    const broken = {
      ...echo,
      answer: () => {
        throw new Error('out of ideas');
      },
    };
    await start({ policies: [broken] });
    await expect(ask()).rejects.toMatchObject({
      code: 'server_error',
      status: 500,
      message: expect.stringContaining('out of ideas') as string,
    });
  });

  it('keeps to the bound of the answer, and says that it cut', async () => {
    await start({
      policies: [scripted([{ calls: [{ name: 'write_file', arguments: { content: 'x'.repeat(400) } }] }])],
    });
    for (const streaming of [true, false]) {
      const answer = await ask({ streaming, maxOutputTokens: 16 });
      expect(answer).toMatchObject({
        end: 'cut',
        usage: { outputTokens: 16 },
        calls: [{ arguments: { kind: 'malformed' } }],
      });
    }
  });

  it('wants the right key where it has one', async () => {
    await start({ apiKey: 'the-right-one' });
    expect((await ask({}, {}, 'the-right-one')).end).toBe('stop');
    await expect(ask({}, {}, 'the-wrong-one')).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await fetch(`${server.baseUrl}/models`)).status).toBe(401);
  });

  it('has one model, and tells how much it can take', async () => {
    await start({ contextTokens: 9_000 });
    await expect(ask({ model: 'gpt-5' })).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await discoverContextTokens({ baseUrl: server.baseUrl, model: 'rehearsal' })).toBe(9_000);
    await expect(ask({}, { messages: [{ role: 'user', content: 'x'.repeat(50_000) }] })).rejects.toMatchObject({
      code: 'context_exceeded',
    });
  });

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['no messages', { model: 'rehearsal', messages: [] }, 'messages'],
    ['an empty list of tools', { model: 'rehearsal', messages: [{ role: 'user', content: 'a' }], tools: [] }, 'tools'],
    [
      'a message without content',
      { model: 'rehearsal', messages: [{ role: 'assistant', content: null }] },
      'content is missing',
    ],
    [
      'a result without a call',
      { model: 'rehearsal', messages: [{ role: 'tool', tool_call_id: 'x', content: 'a' }] },
      'no open call',
    ],
    [
      'a call without a result',
      {
        model: 'rehearsal',
        messages: [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'user', content: 'a' },
        ],
      },
      'no result',
    ],
  ])('is as strict as a real server: %s', async (_, body, said) => {
    await start();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(said);
  });

  it('says which port is taken', async () => {
    const { baseUrl } = await start();
    const port = Number(new URL(baseUrl).port);
    await expect(startRehearsalServer({ policies: [echo], port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes in the middle of an answer', async () => {
    await start({ latencyMs: 60_000 });
    const waiting = ask().catch((error: unknown) => error);
    while (server.requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    expect(await waiting).toMatchObject({ name: 'ModelError', retryable: true });
  });
});
