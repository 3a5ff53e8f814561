import { once } from 'node:events';
import { createServer, globalAgent, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { ChatRequest } from '@phaseline/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import type { CompleteOptions, RetryNotice } from './chat-model.js';
import { ModelError } from './model-error.js';
import { createOpenAiModel } from './openai-model.js';
import { modelProfileSchema, retriesSchema } from './profile/model-profile.js';
import { createScriptedPolicy, startRehearsalServer, type RehearsalFault } from '@phaseline/rehearsal';
import { canRetry } from './transport/retry.js';

const KEY = 'sk-secret-0123456789';
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'Read.' }],
  tools: [{ name: 'read_file', description: 'Reads', parameters: { type: 'object' } }],
};
const turn = { content: 'Reading.', calls: [{ name: 'read_file', arguments: { path: 'a.md' } }] };

const retries = retriesSchema.parse({ attempts: 3, baseDelayMs: 1 });

interface Client {
  profile?: object;
  apiKey?: string;
  random?: () => number;
}

const modelAt = (baseUrl: string, { profile = {}, apiKey = KEY, random = () => 0 }: Client = {}) =>
  createOpenAiModel({
    baseUrl,
    apiKey,
    random,
    profile: modelProfileSchema.parse({
      name: 'test',
      model: 'rehearsal',
      retries,
      ...profile,
    }),
    countTokens: (text) => text.length,
  });

const complete = (baseUrl: string, client: Client = {}, options: Partial<CompleteOptions> = {}) =>
  modelAt(baseUrl, client).complete(request, { signal: new AbortController().signal, ...options });

const expectModelError = async (outcome: Promise<unknown>): Promise<ModelError> => {
  const error = await outcome.then(
    (answer) => expect.fail(`answered ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
};

async function startRehearsal(faults: readonly (RehearsalFault | null)[] = [], apiKey?: string) {
  const server = await startRehearsalServer({
    policies: [createScriptedPolicy([turn])],
    faults,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  cleanUp.push(() => server.close());
  return server;
}

let connections = 0;
async function startServer(listener: RequestListener): Promise<string> {
  connections = 0;
  const server: Server = createServer((incoming, response) => {
    incoming.resume();
    listener(incoming, response);
  });
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const chunk = (delta: object, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

describe('call that fails temporarily', () => {
  const free: readonly [string, RehearsalFault][] = [
    ['a rate limit', { kind: 'status', status: 429, headers: { 'retry-after-ms': '3' } }],
    ['an overloaded server', { kind: 'status', status: 529 }],
    [
      'a model that is still loading',
      {
        kind: 'status',
        status: 503,
        body: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
      },
    ],
  ];
  const maybeCharged: readonly [string, RehearsalFault][] = [
    ['a server error', { kind: 'status', status: 500 }],
    ['a gateway timeout', { kind: 'status', status: 504 }],
    [
      'a web page of a gateway',
      { kind: 'status', status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' },
    ],
    ['a connection that breaks before the answer', { kind: 'cut', afterChunks: 0, how: 'reset' }],
    ['a connection that breaks midway', { kind: 'cut', afterChunks: 4, how: 'reset' }],
    ['a stream that ends midway', { kind: 'cut', afterChunks: 4, how: 'end' }],
    ['an error midway', { kind: 'error', afterChunks: 4, error: { message: 'overloaded', type: 'server_error' } }],
    ['a chunk that is not JSON', { kind: 'malformed', afterChunks: 3 }],
  ];

  it.each(free)('is retried if it cost nothing, streamed or not: %s', async (_, fault) => {
    for (const streaming of [true, false]) {
      const server = await startRehearsal([fault, fault]);
      const notices: RetryNotice[] = [];
      const answer = await complete(
        server.baseUrl,
        { profile: { streaming } },
        { onRetry: (notice) => notices.push(notice) },
      );
      expect(answer).toMatchObject({
        content: 'Reading.',
        end: 'calls',
        calls: [{ name: 'read_file', arguments: { kind: 'parsed', value: { path: 'a.md' } } }],
      });
      expect(notices.map((notice) => notice.attempt)).toEqual([1, 2]);
      expect(server.requests()).toBe(3);
    }
  });

  it.each(free)('fails after the last attempt, with the number of attempts: %s', async (_, fault) => {
    const server = await startRehearsal([fault, fault, fault, null]);
    const error = await expectModelError(complete(server.baseUrl));
    expect(error).toMatchObject({ attempts: 3, retryable: true, mayBeCharged: false });
    expect(canRetry(error, retries)).toBe(false);
    expect(server.requests()).toBe(3);
  });

  it.each(maybeCharged)('fails immediately if it may be charged, streamed or not: %s', async (_, fault) => {
    for (const streaming of [true, false]) {
      const server = await startRehearsal([fault, null]);
      const error = await expectModelError(complete(server.baseUrl, { profile: { streaming } }));
      expect(error).toMatchObject({ attempts: 1, retryable: true, mayBeCharged: true });
      expect(canRetry(error, retries)).toBe(true);
      expect(server.requests()).toBe(1);
    }
  });

  it('continues from a previous failure: its pause is observed, and its attempts count', async () => {
    const lost: RehearsalFault = { kind: 'cut', afterChunks: 4, how: 'reset' };
    const busy: RehearsalFault = { kind: 'status', status: 503, headers: { 'retry-after-ms': '20' } };
    const server = await startRehearsal([lost, busy, lost, null]);
    const notices: RetryNotice[] = [];
    const onRetry = (notice: RetryNotice): void => void notices.push(notice);
    const first = await expectModelError(complete(server.baseUrl, {}, { onRetry }));
    const second = await expectModelError(complete(server.baseUrl, {}, { onRetry, previousFailure: first }));
    expect(notices).toMatchObject([
      { attempt: 1, error: { code: 'stream_broken' } },
      { attempt: 2, delayMs: 20, error: { code: 'server_error', status: 503 } },
    ]);
    expect(second).toMatchObject({ code: 'stream_broken', attempts: 3, mayBeCharged: true });
    expect(canRetry(second, retries)).toBe(false);
    expect(server.requests()).toBe(3);
  });

  it('can be aborted during the pause after a previous failure', async () => {
    const server = await startRehearsal([{ kind: 'cut', afterChunks: 4, how: 'reset' }]);
    const slow = { profile: { retries: { attempts: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 } } };
    const after = await expectModelError(complete(server.baseUrl, slow));
    const caller = new AbortController();
    const outcome = expectModelError(
      complete(server.baseUrl, slow, { previousFailure: after, signal: caller.signal, onRetry: () => caller.abort() }),
    );
    expect(await outcome).toMatchObject({ code: 'aborted', mayBeCharged: false });
    expect(server.requests()).toBe(1);
  });

  it('may be charged if the connection breaks before the answer, or the answer does not start in time', async () => {
    let seen = 0;
    const reset = await startServer((incoming) => {
      seen++;
      incoming.socket.destroy();
    });
    expect(await expectModelError(complete(reset))).toMatchObject({
      code: 'unreachable',
      attempts: 1,
      mayBeCharged: true,
    });
    expect(seen).toBe(1);
    const silent = await startServer(() => undefined);
    const error = await expectModelError(complete(silent, { profile: { timeouts: { firstByteMs: 30 } } }));
    expect(error).toMatchObject({ code: 'timeout', attempts: 1, mayBeCharged: true });
  });

  it('waits as long as the server requests', async () => {
    const server = await startRehearsal([{ kind: 'status', status: 429, headers: { 'retry-after': '0.02' } }]);
    const notices: RetryNotice[] = [];
    await complete(server.baseUrl, {}, { onRetry: (notice) => notices.push(notice) });
    expect(notices).toMatchObject([{ delayMs: 20, error: { code: 'rate_limited', status: 429 } }]);
  });

  it('is not retried if the server forbids it or the account has no credit', async () => {
    const forbidden = await startRehearsal([{ kind: 'status', status: 500, headers: { 'x-should-retry': 'false' } }]);
    expect(await expectModelError(complete(forbidden.baseUrl))).toMatchObject({
      code: 'server_error',
      retryable: false,
      attempts: 1,
    });
    const empty = await startRehearsal([
      {
        kind: 'status',
        status: 429,
        body: {
          error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
        },
      },
    ]);
    expect(await expectModelError(complete(empty.baseUrl))).toMatchObject({ code: 'refused_by_server', attempts: 1 });
  });

  it('names the host and what to check if no server responds', async () => {
    const { baseUrl, close } = await startRehearsalServer({ policies: [] });
    await close();
    const error = await expectModelError(complete(baseUrl));
    expect(error).toMatchObject({ code: 'unreachable', attempts: 3, retryable: true, mayBeCharged: false });
    expect(error.message).toContain(`${new URL(baseUrl).host} (ECONNREFUSED)`);
    expect(error.message).toContain('OPENAI_BASE_URL');
  });
});

describe('call that takes too long', () => {
  const singleAttempt = { retries: { attempts: 1 } };

  it('fails if the answer does not start', async () => {
    const url = await startServer((_, response) => void response.writeHead(200).flushHeaders());
    const error = await expectModelError(
      complete(url, { profile: { ...singleAttempt, timeouts: { firstByteMs: 30 } } }),
    );
    expect(error).toMatchObject({
      code: 'timeout',
      retryable: true,
      message: expect.stringContaining('timeouts.firstByteMs') as string,
    });
  });

  it('fails if the stream stalls', async () => {
    const url = await startServer((_, response) => void response.write(chunk({ content: 'Hel' })));
    const deltas: string[] = [];
    const outcome = complete(
      url,
      { profile: { ...singleAttempt, timeouts: { idleMs: 500 } } },
      { onDelta: (delta) => deltas.push(delta.content ?? '') },
    );
    expect(await expectModelError(outcome)).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('timeouts.idleMs') as string,
    });
    expect(deltas).toEqual(['Hel']);
  });

  it('does not fail while comments arrive', async () => {
    const url = await startServer((_, response) => {
      let comments = 0;
      const timer = setInterval(() => {
        if (++comments <= 75) return void response.write(': still here\n\n');
        clearInterval(timer);
        response.end(`${chunk({ content: 'Done.' }, 'stop')}data: [DONE]\n\n`);
      }, 20);
    });
    expect((await complete(url, { profile: { ...singleAttempt, timeouts: { idleMs: 1_000 } } })).content).toBe('Done.');
  });

  it('fails if the whole call takes too long, even while pieces arrive', async () => {
    const url = await startServer((incoming, response) => {
      const timer = setInterval(() => response.write(chunk({ content: 'on and on ' })), 5);
      incoming.socket.on('close', () => clearInterval(timer));
    });
    const error = await expectModelError(complete(url, { profile: { ...singleAttempt, timeouts: { callMs: 80 } } }));
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('timeouts.callMs') as string });
  });

  it('does not wait for the connection to close after [DONE]', async () => {
    const url = await startServer(
      (_, response) => void response.write(`${chunk({ content: 'Done.' }, 'stop')}data: [DONE]\n\n`),
    );
    expect((await complete(url)).content).toBe('Done.');
  });

  it('accepts an answer as complete if nothing follows the finish reason', async () => {
    const url = await startServer((_, response) => void response.write(chunk({ content: 'Done.' }, 'stop')));
    expect((await complete(url, { profile: { timeouts: { idleMs: 300 } } })).content).toBe('Done.');
  });
});

describe('aborted call', () => {
  const abortWhen = async (url: string, reached: () => boolean, profile: object = {}) => {
    const caller = new AbortController();
    const outcome = expectModelError(complete(url, { profile }, { signal: caller.signal }));
    while (!reached()) await new Promise((resolve) => setTimeout(resolve, 2));
    caller.abort(new Error('the phase was cancelled'));
    expect(await outcome).toMatchObject({ code: 'aborted', retryable: false });
  };

  it('fails immediately before the headers, in the stream, and in a whole answer', async () => {
    let seen = 0;
    await abortWhen(await startServer(() => seen++), () => seen > 0);
    let written = 0;
    const half: RequestListener = (_, response) => response.write(chunk({ content: 'Hel' }), () => written++);
    await abortWhen(await startServer(half), () => written > 0);
    await abortWhen(
      await startServer((_, response) => response.write('{"choices": [', () => written++)),
      () => written > 1,
      {
        streaming: false,
      },
    );
  });

  it('fails immediately in the pause before the next attempt', async () => {
    const server = await startRehearsal([{ kind: 'status', status: 503 }]);
    const pause = { retries: { attempts: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 } };
    await abortWhen(server.baseUrl, () => server.requests() === 1, pause);
    expect(server.requests()).toBe(1);
  });

  it('is not sent if it was aborted before', async () => {
    const server = await startRehearsal();
    expect(await expectModelError(complete(server.baseUrl, {}, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
    });
    expect(server.requests()).toBe(0);
  });
});

describe('call that the server rejects', () => {
  const refused: readonly [string, number, object | string, string, string][] = [
    [
      'OpenAI',
      404,
      { error: { message: 'The model `x` does not exist', code: 'model_not_found' } },
      'model_not_found',
      'profile test',
    ],
    [
      'DeepSeek',
      400,
      { error: { message: 'Model Not Exist', type: 'invalid_request_error' } },
      'model_not_found',
      'profile test',
    ],
    ['a wrong path', 404, '404 page not found', 'model_not_found', '/v1'],
    [
      'OpenAI',
      400,
      { error: { message: 'too long', code: 'context_length_exceeded' } },
      'context_exceeded',
      'contextTokens',
    ],
    [
      'vLLM',
      400,
      { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 },
      'context_exceeded',
      '4096',
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context_exceeded',
      'available',
    ],
    ['a proxy', 413, '<html>413 Request Entity Too Large</html>', 'context_exceeded', 'a web page'],
    [
      'Gemini',
      400,
      [{ error: { code: 400, message: 'API key not valid', status: 'INVALID_ARGUMENT' } }],
      'bad_request',
      'API key not valid',
    ],
    [
      'LiteLLM',
      400,
      { error: { message: 'Unsupported parameter: temperature', type: 'invalid_request_error' } },
      'bad_request',
      'temperature',
    ],
    [
      'a gateway with the answer of the server behind it as text',
      400,
      {
        error: {
          message:
            'litellm.BadRequestError: OpenAIException - {"error":{"message":"{\\n \\"error\\": {\\"code\\": 400, \\"message\\": \\"top_k is not known\\"}}"}}',
        },
      },
      'bad_request',
      'returned an error (400): top_k is not known. ',
    ],
    ['FastAPI', 422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'bad_request', 'field required'],
    ['Azure OpenAI', 400, { error: { message: 'filtered', code: 'content_filter' } }, 'refused_by_server', 'filtered'],
    ['DeepSeek', 402, { error: { message: 'Insufficient Balance' } }, 'refused_by_server', 'credit'],
    ['OpenAI', 403, { error: { message: 'Country not supported' } }, 'refused_by_server', 'Country'],
    ['a redirect', 301, '', 'bad_request', '301'],
  ];

  it.each(refused)('%s, %i: %j gives %s', async (_, status, body, code, said) => {
    const url = await startServer((_incoming, response) => {
      response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const error = await expectModelError(complete(url));
    expect(error).toMatchObject({
      code,
      status,
      retryable: false,
      attempts: 1,
      message: expect.stringContaining(said) as string,
    });
  });

  it('reports a wrong base URL if the server responds with a web page or unrelated JSON', async () => {
    for (const body of ['<!doctype html><title>Welcome</title>', '{"status":"ok"}']) {
      const url = await startServer((_, response) => response.end(body));
      const error = await expectModelError(complete(url));
      expect(error).toMatchObject({
        code: 'bad_request',
        attempts: 1,
        message: expect.stringContaining('OPENAI_BASE_URL') as string,
      });
    }
  });
});

describe('API key', () => {
  it('is reported as wrong by variable and host, and never shown', async () => {
    const server = await startRehearsal([], 'another');
    const error = await expectModelError(complete(server.baseUrl));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401, attempts: 1 });
    expect(error.message).toContain('OPENAI_API_KEY');
    expect(error.message).toContain(new URL(server.baseUrl).host);
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });

  it('is redacted if a server repeats it', async () => {
    for (const status of [401, 400, 500]) {
      const url = await startServer((incoming, response) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `Incorrect: ${incoming.headers.authorization}`, code: 'x' } }));
      });
      expect(inspect(await expectModelError(complete(url)), { depth: 9 })).not.toContain('secret');
    }
  });

  it('is requested in the error if the server needs one; no header is sent if none is set', async () => {
    const server = await startRehearsal([], 'wanted');
    expect((await expectModelError(complete(server.baseUrl, { apiKey: '' }))).message).toContain(
      'OPENAI_API_KEY is not set',
    );
    let sent: string | undefined = 'unseen';
    const url = await startServer((incoming, response) => {
      sent = incoming.headers.authorization;
      response.end(`${chunk({ content: 'Hi' }, 'stop')}data: [DONE]\n\n`);
    });
    await complete(url, { apiKey: '' });
    expect(sent).toBeUndefined();
  });

  it.each(['two words', 'line\nbreak', 'schlüssel'])(
    'is rejected immediately if it is malformed, and not shown: %j',
    (apiKey) => {
      const thrown = (): unknown => {
        try {
          return modelAt('http://127.0.0.1:9/v1', { apiKey });
        } catch (error) {
          return error;
        }
      };
      expect(thrown()).toMatchObject({ code: 'unauthorized' });
      expect(inspect(thrown())).not.toContain(JSON.stringify(apiKey).slice(1, -1));
    },
  );

  it.each(['', 'localhost:8080', 'ftp://127.0.0.1/v1', 'http://user:secret@127.0.0.1/v1'])(
    'needs a valid base URL: %j',
    (baseUrl) => {
      expect(() => modelAt(baseUrl)).toThrow(/OPENAI_BASE_URL must/);
      expect(() => modelAt(baseUrl)).not.toThrow(/secret/);
    },
  );
});

describe('connections, callbacks and ids', () => {
  it('reuses one connection for consecutive calls, even if [DONE] is not the end of the body', async () => {
    const url = await startServer((_, response) => {
      response.write(chunk({ content: 'Hi' }, 'stop'));
      response.write('data: [DONE]\n\n', () => setTimeout(() => response.end(': bye\n\n'), 5));
    });
    const model = modelAt(url);
    const isFree = (): boolean => globalAgent.freeSockets[`${new URL(url).host}:`]?.length === 1;
    for (let n = 0; n < 3; n++) {
      await model.complete(request, { signal: new AbortController().signal });
      while (!isFree()) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(connections).toBe(1);
  });

  it('removes its listeners from a long-lived signal', async () => {
    const server = await startRehearsal();
    const caller = new AbortController();
    let listeners = 0;
    const { signal } = caller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => (listeners++, add(...given));
    signal.removeEventListener = (...given: Parameters<typeof remove>) => (listeners--, remove(...given));
    for (let n = 0; n < 5; n++) await modelAt(server.baseUrl).complete(request, { signal });
    expect(listeners).toBe(0);
  });

  it('throws an error of a callback unchanged', async () => {
    const server = await startRehearsal();
    const mistake = new TypeError('a mistake in the view');
    const outcome = complete(
      server.baseUrl,
      {},
      {
        onDelta: () => {
          throw mistake;
        },
      },
    );
    await expect(outcome).rejects.toBe(mistake);
    expect(server.requests()).toBe(1);
  });

  it('gives call ids that are unique in the conversation', async () => {
    const server = await startRehearsal();
    const model = modelAt(server.baseUrl);
    const { signal } = new AbortController();
    const [first] = (await model.complete(request, { signal })).calls;
    const url = await startServer((_, response) =>
      response.end(
        `${chunk({ tool_calls: [{ index: 0, id: first!.id, function: { name: 'read_file', arguments: '{}' } }] }, 'stop')}`,
      ),
    );
    const history: ChatRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: '', toolCalls: [{ id: first!.id, name: 'read_file', arguments: '{}' }] },
      ],
    };
    const [second] = (await modelAt(url).complete(history, { signal })).calls;
    expect(second!.id).not.toBe(first!.id);
  });

  it('counts tokens if the server did not, including messages and tools', async () => {
    const url = await startServer((_, response) =>
      response.end(`${chunk({ content: 'four' }, 'stop')}data: [DONE]\n\n`),
    );
    const { usage } = await complete(url);
    expect(usage).toMatchObject({ outputTokens: 4, cachedInputTokens: 0, estimated: true });
    expect(usage.inputTokens).toBeGreaterThan('Read.'.length + 'read_file'.length);
  });
});
