import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command/command-errors.js';
import { exitCode } from '../command/exit-code.js';

/** Nothing answers where REDIS_URL points to. */
export class RedisUnreachable extends CommandError {
  readonly code = 'redis_unreachable';
  readonly exitCode = exitCode.unreachable;
}

export interface WaitForRedisOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called before the first pause. */
  readonly onWait?: () => void;
}

const PAUSE_MS = 200;

/**
 * Returns as soon as something listens where the URL points to. Whether it is a Redis, and the login is right, the services
 * find out; but a wrong address is told here, in one line instead of four logs. Throws RedisUnreachable.
 */
export async function waitForRedis(redisUrl: string, options: WaitForRedisOptions): Promise<void> {
  const { hostname, port, host } = new URL(redisUrl);
  const deadline = performance.now() + options.timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    const problem = await knock(hostname.replace(/^\[|\]$/g, ''), Number(port || 6379));
    if (problem === undefined) return;
    if (performance.now() + PAUSE_MS > deadline) {
      throw new RedisUnreachable(
        `Nothing answers at ${host} (${problem}). Check that Redis runs and that REDIS_URL is right.`,
      );
    }
    if (attempt === 1) options.onWait?.();
    await sleep(PAUSE_MS, undefined, { signal: options.signal });
  }
}

function knock(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
