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
  it('aborts first, then takes the steps one after the other', async () => {
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

  it('leaves behind a step that hangs, and still takes the ones after it', async () => {
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

  it('goes on after a step that throws, and says that not all went well', async () => {
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

  it('tells each step what is left of the time', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const told: number[] = [];
    const step = {
      name: 'step',
      run: async (remainingMs: number) => {
        told.push(remainingMs);
        await vi.advanceTimersByTimeAsync(300);
      },
    };
    await shutdown.run('SIGTERM', [step, step]);
    expect(told).toEqual([1_000, 700]);
  });

  it('runs once, however often it is asked for', async () => {
    const shutdown = new Shutdown(logger, 1_000);
    const run = vi.fn(async () => {});
    await Promise.all([shutdown.run('SIGTERM', [{ name: 'a', run }]), shutdown.run('SIGINT', [{ name: 'a', run }])]);
    expect(run).toHaveBeenCalledOnce();
  });
});
