import { startRehearsalServer, type RehearsalFault } from '@phaseline/rehearsal';
import { describe, expect, it } from 'vitest';
import type { RetryNotice } from './chat-model.js';
import { complete, expectModelError, retries, startRehearsal, startServer } from './openai-model.fixture.js';
import { canRetry } from './transport/retry.js';

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
