import { afterEach, describe, expect, it, vi } from 'vitest';
import { Readiness } from './readiness.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('Readiness', () => {
  it('is ready when nothing speaks against it', async () => {
    const readiness = new Readiness();
    readiness.register('database', async () => {});
    expect(await readiness.report()).toMatchObject({ ready: true, reasons: [], checks: { database: { ok: true } } });
  });

  it('names each part that is not well, and why', async () => {
    const readiness = new Readiness();
    readiness.register('database', () => Promise.reject(new Error('connection refused')));
    readiness.register('queues', async () => 'no worker runs');
    readiness.register('disk', async () => {});
    readiness.register('model', () => {
      throw new Error('not even a promise');
    });
    const report = await readiness.report();
    expect(report.ready).toBe(false);
    expect(report.reasons).toEqual([
      'database: connection refused',
      'queues: no worker runs',
      'model: not even a promise',
    ]);
    expect(report.checks.disk).toMatchObject({ ok: true });
  });

  it('says something also when the error has no message of its own', async () => {
    const readiness = new Readiness();
    readiness.register('database', () =>
      Promise.reject(new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')])),
    );
    expect((await readiness.report()).reasons).toEqual(['database: refused ::1; refused 127.0.0.1']);
  });

  it('does not wait for a part that hangs', async () => {
    vi.useFakeTimers();
    const readiness = new Readiness();
    readiness.register('queues', () => new Promise(() => {}));
    const report = readiness.report();
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await report).reasons).toEqual(['queues: no answer within 2000 ms']);
  });

  it('is not ready any more once the process is going away, however well its parts are', async () => {
    const readiness = new Readiness();
    readiness.stopping('shutting down: SIGTERM');
    expect(await readiness.report()).toMatchObject({ ready: false, reasons: ['shutting down: SIGTERM'] });
  });

  it('refuses a second check of the same name, which would hide the first', () => {
    const readiness = new Readiness();
    readiness.register('database', async () => {});
    expect(() => readiness.register('database', async () => {})).toThrow(RangeError);
  });
});
