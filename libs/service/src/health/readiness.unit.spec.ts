import { afterEach, describe, expect, it, vi } from 'vitest';
import { Readiness } from './readiness.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('Readiness', () => {
  it('is ready when all checks pass', async () => {
    const readiness = new Readiness();
    readiness.register('database', async () => {});
    expect(await readiness.report()).toMatchObject({ ready: true, reasons: [], checks: { database: { ok: true } } });
  });

  it('names each failed check with its reason', async () => {
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

  it('gives a reason even if the error has no message', async () => {
    const readiness = new Readiness();
    readiness.register('database', () =>
      Promise.reject(new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')])),
    );
    expect((await readiness.report()).reasons).toEqual(['database: refused ::1; refused 127.0.0.1']);
  });

  it('does not wait for a check that hangs', async () => {
    vi.useFakeTimers();
    const readiness = new Readiness();
    readiness.register('queues', () => new Promise(() => {}));
    const report = readiness.report();
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await report).reasons).toEqual(['queues: no response within 2000 ms']);
  });

  it('is not ready once the process is shutting down, even if all checks pass', async () => {
    const readiness = new Readiness();
    readiness.markStopping('shutting down: SIGTERM');
    expect(await readiness.report()).toMatchObject({ ready: false, reasons: ['shutting down: SIGTERM'] });
  });

  it('rejects a second check with the same name, which would hide the first', () => {
    const readiness = new Readiness();
    readiness.register('database', async () => {});
    expect(() => readiness.register('database', async () => {})).toThrow(RangeError);
  });
});
