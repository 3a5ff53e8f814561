import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../process/find-free-port.js';
import { isAlive } from '../process/process-identity.js';
import { createDummySpec } from '../testing/dummy-spec.js';
import { waitForExit, startHelperProcess, kill } from '../testing/start-helper-process.js';
import type { ServiceEvent } from './service-spec.js';
import { superviseServices, type Supervision, type SupervisionOptions } from './supervise-services.js';

let logDirectory: string;
let events: ServiceEvent[];
const running: Supervision[] = [];

beforeEach(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'phaseline-spec-'));
  events = [];
});
afterEach(async () => {
  for (const supervision of running.splice(0)) await supervision.stop(2_000);
  await rm(logDirectory, { recursive: true, force: true });
});

async function supervise(
  modes: Record<string, string>,
  options: Partial<SupervisionOptions> = {},
): Promise<Supervision> {
  const specs = await Promise.all(
    Object.entries(modes).map(async ([name, mode]) => createDummySpec(name, await findFreePort(), mode)),
  );
  const supervision = await superviseServices(specs, {
    logDirectory,
    onEvent: (event) => events.push(event),
    ...options,
  });
  running.push(supervision);
  return supervision;
}

function waitForNextReady(supervision: Supervision, name: string, otherThan: number): Promise<number> {
  return expect
    .poll(() => supervision.status().find((service) => service.name === name), { timeout: 15_000 })
    .toSatisfy((service: { isReady: boolean; pid: number | undefined }) => service.isReady && service.pid !== otherThan)
    .then(() => supervision.status().find((service) => service.name === name)!.pid!);
}

describe('superviseServices', () => {
  it('returns when all services are ready, and keeps their logs', async () => {
    const supervision = await supervise({ one: 'well', two: 'well' });
    expect(supervision.status().map(({ name, isReady }) => ({ name, ready: isReady }))).toEqual([
      { name: 'one', ready: true },
      { name: 'two', ready: true },
    ]);
    expect(await readFile(supervision.status()[0]!.logFile, 'utf8')).toBe('dummy well begins\n');
  });

  it('restarts a killed service as a new process, and does not affect the others', async () => {
    const supervision = await supervise({ one: 'well', two: 'well' });
    const two = supervision.status()[1]!.pid;
    const first = supervision.kill('one')!;
    const second = await waitForNextReady(supervision, 'one', first);
    expect(isAlive(second)).toBe(true);
    expect(supervision.status()).toMatchObject([
      { name: 'one', restarts: 1 },
      { name: 'two', restarts: 0, pid: two },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'died', service: 'one', how: 'SIGKILL' }));
  });

  it('gives up on a service that keeps exiting, reports its last log lines, and stops the others', async () => {
    const attempt = supervise(
      { good: 'well', bad: 'crash' },
      { policy: { backoff: { firstMs: 10, maxMs: 5_000 }, maxQuickExits: 3 } },
    );
    await expect(attempt).rejects.toMatchObject({
      code: 'service_failed',
      service: 'bad',
      message: expect.stringContaining('broke on purpose'),
    });
    expect(events.filter(({ type, service }) => type === 'started' && service === 'bad')).toHaveLength(3);
    const good = events.find((event) => event.type === 'started' && event.service === 'good');
    if (good?.type === 'started') await waitForExit(good.pid);
  });

  it('does not restart a service whose configuration is invalid', async () => {
    await expect(supervise({ bad: 'bad-config' })).rejects.toThrow(/exit code 78[^]*DATABASE_URL: is missing/);
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(1);
  });

  it('reports why a service did not become ready in time', async () => {
    const attempt = supervise({ slow: 'never-ready' }, { policy: { readyTimeoutMs: 5_000 } });
    await expect(attempt).rejects.toThrow(/slow was not ready after 5 s: the dummy is never ready/);
  });

  it('waits for a service as long as it makes progress, even beyond the start timeout', async () => {
    const supervision = await supervise({ slow: 'catching-up' }, { policy: { readyTimeoutMs: 1_000 } });
    expect(supervision.status()).toMatchObject([{ name: 'slow', isReady: true, restarts: 0 }]);
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(1);
  });

  it('gives up on a service that makes no progress, and reports its progress', async () => {
    const attempt = supervise({ slow: 'standing' }, { policy: { readyTimeoutMs: 2_000 } });
    await expect(attempt).rejects.toThrow(/slow made no progress for 2 s: catching up, 7 of 3000 events/);
  });

  it('ignores the response of another process on the port', async () => {
    const stranger = createServer((_request, response) => response.end(JSON.stringify({ pid: process.pid }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => stranger.once('listening', resolve));
    const { port } = stranger.address() as { port: number };
    const attempt = superviseServices([createDummySpec('one', port)], {
      logDirectory,
      policy: { backoff: { firstMs: 10, maxMs: 5_000 }, maxQuickExits: 2 },
    });
    await expect(attempt).rejects.toThrow(/EADDRINUSE/);
    stranger.close();
  });

  it('stops within its timeout, even if a service ignores SIGTERM', async () => {
    const supervision = await supervise({ well: 'well', stubborn: 'stubborn' });
    const [well, stubborn] = supervision.status();
    await supervision.stop(3_000);
    expect([isAlive(well!.pid!), isAlive(stubborn!.pid!)]).toEqual([false, false]);
    expect(await readFile(well!.logFile, 'utf8')).toContain('received SIGTERM');
  });

  it('can be aborted during the start', async () => {
    const off = new AbortController();
    const attempt = supervise(
      { slow: 'never-ready' },
      {
        signal: off.signal,
        onEvent: (event) => (event.type === 'started' ? off.abort(new Error('called off')) : events.push(event)),
      },
    );
    await expect(attempt).rejects.toThrow('called off');
  });

  it('has its services exit when it is killed', async () => {
    const { child, report } = await startHelperProcess<{ pids: number[] }>('run-supervisor', [logDirectory]);
    expect(report.pids.map(isAlive)).toEqual([true, true]);
    await kill(child);
    await Promise.all(report.pids.map(waitForExit));
  });
});
