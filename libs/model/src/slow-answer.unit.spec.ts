import { type RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  chunk,
  complete,
  expectModelError,
  startRehearsal,
  startServer,
  streamedText,
} from './openai-model.fixture.js';

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
        response.end(streamedText('Done.'));
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
    const url = await startServer((_, response) => void response.write(streamedText('Done.')));
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
