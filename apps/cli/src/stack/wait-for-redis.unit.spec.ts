import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RedisUnreachable } from '../command/command-errors.js';
import { waitForRedis } from './wait-for-redis.js';

const signal = new AbortController().signal;

describe('waiting for Redis', () => {
  it('succeeds if Redis starts a little later', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const late = createServer();
    const onWait = (): void => void late.listen(port, '127.0.0.1');
    await waitForRedis(`redis://127.0.0.1:${port}`, { timeoutMs: 10_000, signal, onWait });
    await new Promise((resolve) => late.close(resolve));
  });

  it('fails with one line that contains no password', async () => {
    const failure: unknown = await waitForRedis('redis://:secret@127.0.0.1:1', { timeoutMs: 0, signal }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(RedisUnreachable);
    expect((failure as Error).message).toBe(
      'Nothing responds at 127.0.0.1:1 (ECONNREFUSED). Check that Redis is running and that REDIS_URL is correct.',
    );
  });

  it('stops if it is interrupted', async () => {
    const interrupt = new AbortController();
    const waiting = waitForRedis('redis://127.0.0.1:1', {
      timeoutMs: 60_000,
      signal: interrupt.signal,
      onWait: () => interrupt.abort(new Error('interrupted')),
    });
    await expect(waiting).rejects.toThrow();
  });
});
