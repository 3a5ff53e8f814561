import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisUnreachable } from '../command/command-errors.js';

export interface WaitForRedisOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called before the first pause. */
  readonly onWait?: () => void;
}

const PAUSE_MS = 200;

/**
 * Waits until something listens at the address of the URL. The services check that it is Redis and accepts the login; this check
 * reports a wrong address once instead of in the logs of four services. Throws RedisUnreachable.
 */
export async function waitForRedis(redisUrl: string, options: WaitForRedisOptions): Promise<void> {
  const { hostname, port, host } = new URL(redisUrl);
  const deadline = performance.now() + options.timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    const problem = await tryConnect(hostname.replace(/^\[|\]$/g, ''), Number(port || 6379));
    if (problem === undefined) return;
    if (performance.now() + PAUSE_MS > deadline) {
      throw new RedisUnreachable(
        `Nothing responds at ${host} (${problem}). Check that Redis is running and that REDIS_URL is correct.`,
      );
    }
    if (attempt === 1) options.onWait?.();
    await sleep(PAUSE_MS, undefined, { signal: options.signal });
  }
}

function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no response'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
