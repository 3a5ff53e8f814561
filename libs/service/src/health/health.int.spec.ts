import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, RELEASE } from '@phaseline/event-store';
import { ProcessRegistry } from '@phaseline/cluster';
import { getClockFilePath } from '@phaseline/fault-points';
import { createQueues } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ServiceProcess } from '../testing/service-process.js';

let database: TestDatabase;
let service: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => service.kill());
afterAll(() => database.drop());

async function start(env: NodeJS.ProcessEnv): Promise<string> {
  service = new ServiceProcess({ DATABASE_URL: database.serviceUrl, PHASELINE_HEALTH_INTERVAL_MS: '100', ...env });
  return service.waitForUrl();
}

const getReadiness = async (url: string): Promise<{ status: number; message: unknown }> => {
  const response = await fetch(`${url}/ready`);
  const { message } = (await response.json()) as { message?: unknown };
  return { status: response.status, message };
};

async function send(callId: string): Promise<void> {
  const queues = await createQueues(
    { backend: 'postgres', connectionString: database.serviceUrl },
    { onDeadLetter: async () => {}, onError: () => {} },
  );
  await queues.send('tools', { jobId: '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f', phase: 1, callId, epoch: 1 });
  await queues.close(5_000);
}

it('a service whose work makes no progress is not ready and names the work, but is still alive', async () => {
  const url = await start({});
  await send('silent');
  await service.waitForOutput('handling silent');
  await expect
    .poll(() => getReadiness(url), { timeout: 15_000 })
    .toMatchObject({
      status: 503,
      message: expect.stringMatching(
        /^example is not ready: progress: the call silent, which waits, has made no progress for .*; its limit is 300 ms/,
      ) as string,
    });
  expect((await fetch(`${url}/health`)).status).toBe(200);

  // Without access to its port, the reason can be read in the list of processes.
  const pool = createPool(database.serviceUrl);
  const report = async () =>
    (await new ProcessRegistry(pool).listReports()).find(({ problems }) => problems.length > 0);
  await expect.poll(report, { timeout: 15_000 }).toMatchObject({
    service: 'example',
    version: RELEASE,
    problems: [expect.stringContaining('the call silent')],
    clockAheadMs: expect.any(Number) as number,
  });
  await pool.end();

  await fetch(`${url}/go`);
  await expect.poll(() => getReadiness(url), { timeout: 15_000 }).toMatchObject({ status: 200 });
  await service.waitForOutput('ready again');
  expect(service.logEntries).toContainEqual(expect.objectContaining({ level: 'warn', message: 'not ready' }));
});

it('a service whose event loop was blocked reports it afterwards', async () => {
  const url = await start({ PHASELINE_EVENT_LOOP_BLOCK_LIMIT_MS: '300' });
  await fetch(`${url}/block`);
  await expect
    .poll(() => getReadiness(url), { timeout: 15_000 })
    .toMatchObject({
      status: 503,
      message: expect.stringMatching(/event-loop: the event loop was blocked for \d+ m?s, until .* ago/) as string,
    });
  await service.waitForOutput('the event loop was blocked');
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/phaseline_event_loop_blocked_total\{.*\} [1-9]/);
});

it.each([
  ['ahead of', 600_000],
  ['behind', -600_000],
])(
  "a service whose clock is ten minutes %s the database's takes no messages, is not ready and says what to do",
  async (where, aheadMs) => {
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-clock-'));
    const url = await start({ PHASELINE_FAULT_POINTS: `@${folder}` });
    await expect.poll(() => getReadiness(url), { timeout: 15_000 }).toMatchObject({ status: 200 });
    await writeFile(getClockFilePath(folder, service.pid), String(aheadMs));
    await expect
      .poll(() => getReadiness(url), { timeout: 15_000 })
      .toMatchObject({
        status: 503,
        message: expect.stringMatching(
          new RegExp(
            `clock: the clock of this machine is (599|600|601) s ${where} the database's, .*timedatectl set-ntp true`,
          ),
        ) as string,
      });
    await service.waitForOutput('no messages are taken while the clock is wrong');
    const call = `once-${where.split(' ')[0]!}`;
    await send(call);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(service.output).not.toContain(`handling ${call}`);
    await writeFile(getClockFilePath(folder, service.pid), '0');
    await service.waitForOutput(`handling ${call}`);
    await expect.poll(() => getReadiness(url), { timeout: 15_000 }).toMatchObject({ status: 200 });
    await rm(folder, { recursive: true });
  },
);

it('a service without its own routes answers an unknown route with problem details, like the API', async () => {
  const url = await start({});
  const response = await fetch(`${url}/nowhere`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    expect.stringContaining('application/problem+json'),
  ]);
  expect(await response.json()).toMatchObject({
    type: 'urn:phaseline:problem:route_not_found',
    title: 'There is no such route',
    status: 404,
    detail: expect.stringContaining('/health') as string,
    code: 'route_not_found',
  });
});

it('a process reports its pid, host, start and queues, and counts as dead after it was killed', async () => {
  const before = Date.now();
  await start({});
  const pool = createPool(database.serviceUrl, { max: 1 });
  try {
    const report = async () => (await new ProcessRegistry(pool).listReports()).find(({ pid }) => pid === service.pid);
    await expect.poll(async () => (await report())?.queues, { timeout: 15_000 }).toEqual(['tools']);
    const found = (await report())!;
    expect(found).toMatchObject({ service: 'example', host: hostname(), version: RELEASE, isDead: false });
    // Before the database knew of it: the time of the start is that of the process, not of its first heartbeat.
    const [{ first } = { first: '' }] = (
      await pool.query<{ first: string }>(
        `SELECT (started_at < heartbeat_at - interval '100 milliseconds')::text AS first FROM phaseline.processes WHERE pid = $1`,
        [service.pid],
      )
    ).rows;
    expect(first).toBe('true');
    expect(Date.parse(found.startedAt)).toBeGreaterThan(before - 5_000);
    await service.kill();
    await expect.poll(async () => (await report())?.isDead, { timeout: 30_000 }).toBe(true);
  } finally {
    await pool.end();
  }
});
