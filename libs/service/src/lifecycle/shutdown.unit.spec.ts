import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Shutdown } from './shutdown.js';

const logger = pino({ level: 'silent' });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Shutdown', () => {
  it('aborts the signal first, then runs the steps in order', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const order: string[] = [];
    shutdown.signal.addEventListener('abort', () => order.push('abort'));
    const step = (name: string) => ({
      name,
      run: async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      },
    });
    expect(await shutdown.run('SIGTERM', [step('queues'), step('pool')])).toBe(true);
    expect(order).toEqual(['abort', 'queues begins', 'queues ends', 'pool begins', 'pool ends']);
  });

  it('abandons a step that hangs, and still runs the following steps', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const pool = vi.fn(async () => {});
    const done = shutdown.run('SIGTERM', [
      { name: 'queues', run: () => new Promise(() => {}) },
      { name: 'pool', run: pool },
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await done).toBe(false);
    expect(pool).toHaveBeenCalledOnce();
  });

  it('continues after a step that throws, and returns false', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const pool = vi.fn(async () => {});
    const steps = [
      {
        name: 'queues',
        run: () => {
          throw new Error('broken');
        },
      },
      { name: 'pool', run: pool },
    ];
    expect(await shutdown.run('SIGTERM', steps)).toBe(false);
    expect(pool).toHaveBeenCalledOnce();
  });

  it('passes the remaining time to each step', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const received: number[] = [];
    const step = {
      name: 'step',
      run: async (remainingMs: number) => {
        received.push(remainingMs);
        await vi.advanceTimersByTimeAsync(300);
      },
    };
    await shutdown.run('SIGTERM', [step, step]);
    expect(received).toEqual([1_000, 700]);
  });

  it('runs once, even if it is requested several times', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const run = vi.fn(async () => {});
    await Promise.all([shutdown.run('SIGTERM', [{ name: 'a', run }]), shutdown.run('SIGINT', [{ name: 'a', run }])]);
    expect(run).toHaveBeenCalledOnce();
  });
});
