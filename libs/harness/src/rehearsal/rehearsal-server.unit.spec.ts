import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createOpenAiModel, discoverContextTokens, modelProfileSchema } from '@phaseline/model';
import {
  echoPolicy,
  createScriptedPolicy,
  startRehearsalServer,
  type RehearsalAnswer,
  type RehearsalServer,
  type RehearsalServerOptions,
} from '@phaseline/rehearsal';

let server: RehearsalServer;

async function start(options: Partial<RehearsalServerOptions> = {}): Promise<RehearsalServer> {
  server = await startRehearsalServer({ policies: [echoPolicy], ...options });
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

const complete = (profile: object = {}, changed: Partial<ChatRequest> = {}, apiKey = '') =>
  modelOf(profile, apiKey).complete({ ...request, ...changed }, { signal: new AbortController().signal });

const post = (body: unknown): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('rehearsal server', () => {
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

  it.each(turns)('gives the same answer streamed and whole: %s', async (_, turn) => {
    await start({ policies: [createScriptedPolicy([turn])] });
    const deltas: string[] = [];
    const signal = new AbortController().signal;
    const streamed = await modelOf().complete(request, {
      signal,
      onDelta: (delta) => deltas.push(delta.content ?? ''),
    });
    const whole = await complete({ streaming: false });
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

  it('gives the same bytes for the same request and marks them as a rehearsal', async () => {
    await start();
    const body = { model: 'rehearsal', messages: [{ role: 'user', content: 'Hi' }] };
    const first = await (await post(body)).text();
    expect(await (await post(body)).text()).toBe(first);
    expect(JSON.parse(first)).toMatchObject({ model: 'rehearsal', system_fingerprint: 'rehearsal' });
    const stream = await (await post({ ...body, stream: true })).text();
    expect(stream.match(/"system_fingerprint":"rehearsal"/g)?.length).toBe(3);
    expect(stream).not.toContain('usage');
  });

  it('selects the turn of a script by the number of answers in the conversation, and reports its end', async () => {
    await start({
      policies: [
        createScriptedPolicy([{ content: 'one' }, (asked) => ({ content: `two of ${asked.toolNames.join()}` })]),
      ],
    });
    const after = (count: number): { messages: ChatMessage[] } => ({
      messages: [
        ...request.messages,
        ...Array.from({ length: count }, (): ChatMessage => ({ role: 'assistant', content: 'x' })),
      ],
    });
    expect((await complete()).content).toBe('one');
    expect((await complete({}, after(1))).content).toBe('two of write_file');
    expect((await complete()).content).toBe('one');
    await expect(complete({}, after(2))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('2 turns') as string,
    });
  });

  it('uses the first matching policy and refuses a conversation that none matches', async () => {
    const silent = createScriptedPolicy([{ content: 'scripted' }], (asked) => asked.toolNames.length === 0);
    await start({ policies: [silent] });
    expect((await complete({}, { tools: [] })).content).toBe('scripted');
    await expect(complete()).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('OPENAI_BASE_URL') as string,
    });
  });

  it('reports an error of a policy as a server error', async () => {
    const broken = {
      ...echoPolicy,
      answer: () => {
        throw new Error('out of ideas');
      },
    };
    await start({ policies: [broken] });
    await expect(complete()).rejects.toMatchObject({
      code: 'server_error',
      status: 500,
      message: expect.stringContaining('out of ideas') as string,
    });
  });

  it('respects the output limit and reports the cut', async () => {
    await start({
      policies: [createScriptedPolicy([{ calls: [{ name: 'write_file', arguments: { content: 'x'.repeat(400) } }] }])],
    });
    for (const streaming of [true, false]) {
      const answer = await complete({ streaming, maxOutputTokens: 16 });
      expect(answer).toMatchObject({
        end: 'truncated',
        usage: { outputTokens: 16 },
        calls: [{ arguments: { kind: 'malformed' } }],
      });
    }
  });

  it('requires the API key if one is set', async () => {
    await start({ apiKey: 'the-right-one' });
    expect((await complete({}, {}, 'the-right-one')).end).toBe('stop');
    await expect(complete({}, {}, 'the-wrong-one')).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await fetch(`${server.baseUrl}/models`)).status).toBe(401);
  });

  it('lists one model with its context size', async () => {
    await start({ contextTokens: 9_000 });
    await expect(complete({ model: 'gpt-5' })).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await discoverContextTokens({ baseUrl: server.baseUrl, model: 'rehearsal' })).toBe(9_000);
    await expect(complete({}, { messages: [{ role: 'user', content: 'x'.repeat(50_000) }] })).rejects.toMatchObject({
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
  ])('refuses what a real server refuses: %s', async (_, body, expected) => {
    await start();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(expected);
  });

  it('fails if the port is in use', async () => {
    const { baseUrl } = await start();
    const port = Number(new URL(baseUrl).port);
    await expect(startRehearsalServer({ policies: [echoPolicy], port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('can be closed in the middle of an answer', async () => {
    await start({ latencyMs: 60_000 });
    const waiting = complete().catch((error: unknown) => error);
    while (server.requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    expect(await waiting).toMatchObject({ name: 'ModelError', retryable: true });
  });
});
