import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  complete,
  expectModelError,
  modelAt,
  startRehearsal,
  startServer,
  streamedText,
} from './openai-model.fixture.js';

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
      response.end(streamedText('Hi'));
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
