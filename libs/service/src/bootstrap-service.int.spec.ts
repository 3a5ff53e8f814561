import { connect, createServer } from 'node:net';
import { createPool } from '@phaseline/event-store';
import { DeadLetters, ProcessRegistry } from '@phaseline/cluster';
import { createQueues, type BackendConfig, type Queues } from '@phaseline/queue';
import { createTestDatabase, getTestRedisUrl, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { ServiceProcess } from './testing/service-process.js';

let database: TestDatabase;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill();
});
afterAll(() => database.drop());

function start(env: NodeJS.ProcessEnv = {}): ServiceProcess {
  const service = new ServiceProcess({ DATABASE_URL: database.serviceUrl, ...env });
  running.push(service);
  return service;
}

async function withQueues(config: BackendConfig, use: (queues: Queues) => Promise<void>): Promise<void> {
  const queues = await createQueues(config, { onDeadLetter: async () => {}, onError: () => {} });
  try {
    await use(queues);
  } finally {
    await queues.close(5_000);
  }
}

const createCall = (callId: string) => ({ jobId: '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f', phase: 1, callId, epoch: 1 });

async function sendToPostgres(callId: string): Promise<void> {
  await withQueues({ backend: 'postgres', connectionString: database.serviceUrl }, (queues) =>
    queues.send('tools', createCall(callId)),
  );
}

describe('a running service', () => {
  it('serves /health, /ready and /metrics', async () => {
    const url = await start().waitForUrl();
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      status: 'ok',
      service: 'example',
      processId: expect.stringMatching(/^example-[0-9a-f-]{36}$/),
    });
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({
      ready: true,
      checks: { database: { ok: true }, queues: { ok: true } },
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/phaseline_queue_depth\{.*queue="tools".*\} 0/);
    expect(metrics).toMatch(/phaseline_http_request_seconds_count\{.*route="\/health".*\} 1/);
    expect(metrics).toContain('process_resident_memory_bytes');
  });

  it('writes heartbeats while it runs, and deregisters when it stops', async () => {
    const service = start();
    const { processId } = (await (await fetch(`${await service.waitForUrl()}/health`)).json()) as { processId: string };
    const pool = createPool(database.serviceUrl);
    const registry = new ProcessRegistry(pool);
    expect(await registry.isAlive(processId, 60_000)).toBe(true);
    service.signal('SIGTERM');
    await service.ended;
    expect(await registry.isAlive(processId, 60_000)).toBe(false);
    await pool.end();
  });

  it('stores a rejected message as a dead letter with the reason', async () => {
    const service = start();
    await service.waitForUrl();
    await sendToPostgres('poison');
    await service.waitForOutput('stored as a dead letter');
    const pool = createPool(database.serviceUrl);
    const { deadLetters } = await new DeadLetters(pool).list({ queue: 'tools' });
    expect(deadLetters).toMatchObject([
      { payload: { json: createCall('poison') }, reason: 'cannot be handled (not-retryable, POISON)', attempts: 1 },
    ]);
    await pool.end();
  });

  it('counts the messages of its queues', async () => {
    const service = start();
    const url = await service.waitForUrl();
    await sendToPostgres('quick');
    await service.waitForOutput('handling quick');
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toMatch(/phaseline_queue_deliveries_total\{.*queue="tools",outcome="completed".*\} 1/);
  });

  it('is not ready while the database is unavailable, reports the reason, and recovers by itself', async () => {
    const own = await createTestDatabase();
    const name = new URL(own.ownerUrl).pathname.slice(1);
    const url = await start({ DATABASE_URL: own.serviceUrl }).waitForUrl();
    const admin = new pg.Client({ connectionString: inject('testServer').superuserUrl });
    await admin.connect();
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    // The first check may still use a connection that is being terminated, which fails with a different message.
    await expect
      .poll(async () => {
        const response = await fetch(`${url}/ready`);
        return { status: response.status, body: await response.json() };
      })
      .toMatchObject({
        status: 503,
        body: {
          ready: false,
          code: 'not_ready',
          message: expect.stringMatching(/example is not ready: database: .*not currently accepting connections/),
        },
      });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, { timeout: 15_000 }).toBe(200);
    await admin.end();
    await running.pop()!.kill();
    await own.drop();
  });

  it('rejects requests with a foreign host name', async () => {
    const url = new URL(await start().waitForUrl());
    const response = await new Promise<string>((resolve, reject) => {
      let text = '';
      connect(Number(url.port), url.hostname)
        .on('data', (chunk) => (text += chunk.toString()))
        .once('close', () => resolve(text))
        .once('error', reject)
        .write('GET /health HTTP/1.1\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n');
    });
    expect(response).toContain('403 Forbidden');
  });

  it('writes no password to its log', async () => {
    const service = start();
    await service.waitForUrl();
    service.signal('SIGTERM');
    await service.ended;
    expect(service.output).not.toContain(new URL(database.serviceUrl).password);
  });
});

describe('a service that receives a stop signal', () => {
  it('completes open requests, accepts no others, and exits with 0', async () => {
    const service = start();
    const url = await service.waitForUrl();
    const slow = fetch(`${url}/slow`);
    await service.waitForOutput('slow request started');
    service.signal('SIGTERM');
    expect(await (await slow).json()).toEqual({ slow: true });
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('does not wait for streams that never end', async () => {
    const service = start();
    const stream = await fetch(`${await service.waitForUrl()}/stream`);
    service.signal('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await expect(stream.text()).rejects.toThrow();
  });

  it('aborts its handlers and releases their unfinished messages', async () => {
    const service = start();
    await service.waitForUrl();
    await sendToPostgres('stoppable');
    await service.waitForOutput('handling stoppable');
    service.signal('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.output).toContain('signal aborted');
    const successor = start();
    await successor.waitForOutput('handling stoppable');
  });

  it('exits in time although a handler hangs, and logs the abandoned message', async () => {
    const service = start({ PHASELINE_SHUTDOWN_TIMEOUT_MS: '4000' });
    await service.waitForUrl();
    await sendToPostgres('hang');
    await service.waitForOutput('handling hang');
    service.signal('SIGTERM');
    const { signal } = await service.ended;
    expect(signal).toBeNull();
    expect(service.logEntries).toContainEqual(
      expect.objectContaining({ level: 'warn', abandoned: [expect.objectContaining({ queue: 'tools' })] }),
    );
  });

  it('exits immediately on a second signal', async () => {
    const service = start({ PHASELINE_SHUTDOWN_TIMEOUT_MS: '60000' });
    await service.waitForUrl();
    await sendToPostgres('hang again');
    await service.waitForOutput('handling hang again');
    service.signal('SIGTERM');
    await service.waitForOutput('shutting down');
    service.signal('SIGINT');
    expect(await service.ended).toEqual({ code: 130, signal: null });
  });

  it('exits when its supervisor has exited', async () => {
    const service = start({ PHASELINE_STOP_ON_STDIN_END: '1' });
    await service.waitForUrl();
    service.closeInput();
    expect(await service.ended).toMatchObject({ signal: null });
    expect(service.output).toContain('the supervisor has exited');
  });
});

describe('a service that cannot start or continue', () => {
  it('logs an unhandled error and exits with 70', async () => {
    const service = start();
    await fetch(`${await service.waitForUrl()}/reject`).catch(() => {});
    expect(await service.ended).toEqual({ code: 70, signal: null });
    expect(service.logEntries).toContainEqual(
      expect.objectContaining({ level: 'fatal', error: expect.objectContaining({ message: 'unhandled rejection' }) }),
    );
  });

  it('exits with 78 and names all configuration problems', async () => {
    const service = start({ PORT: 'http', PHASELINE_QUEUE_BACKEND: 'kafka' });
    expect(await service.ended).toMatchObject({ code: 78 });
    expect(service.output).toMatch(
      /^example: The configuration is not valid:\n {2}PHASELINE_QUEUE_BACKEND: .*\n {2}PORT: .*\n$/,
    );
  });

  it('exits with 75 when its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const service = start({ PORT: String(port) });
    expect(await service.ended).toMatchObject({ code: 75 });
    expect(service.output).toContain(
      `example: Cannot listen on 127.0.0.1:${port}: the port is in use. Stop what uses it or set PORT to another.\n`,
    );
    other.close();
  });

  it('waits for a database that is down, logging a warning, then exits with 69 and a clear message', async () => {
    const service = start({
      DATABASE_URL: 'postgresql://app:hunter22@127.0.0.1:1/phaseline',
      PHASELINE_DATABASE_WAIT_MS: '1200',
    });
    expect(await service.ended).toMatchObject({ code: 69 });
    expect(service.logEntries).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('waiting for the database') }),
    );
    expect(service.output).toMatch(
      /\nexample: The database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. Check that it is running and that DATABASE_URL is correct\.\n/,
    );
    expect(service.output).not.toMatch(/hunter22|\n {4}at /);
  });

  it('does not retry a wrong password', async () => {
    const url = new URL(database.serviceUrl);
    url.password = 'wrong-password';
    const service = start({ DATABASE_URL: url.href });
    expect(await service.ended).toMatchObject({ code: 69 });
    expect(service.output).toContain('Check user, password and database name in DATABASE_URL.');
    expect(service.output).not.toContain('waiting for the database');
  });

  it('reports that the migrations are missing', async () => {
    const bare = await createTestDatabase();
    const owner = new pg.Client({ connectionString: bare.ownerUrl });
    await owner.connect();
    await owner.query('DROP SCHEMA phaseline CASCADE');
    await owner.end();
    const service = start({ DATABASE_URL: bare.serviceUrl, PHASELINE_DATABASE_WAIT_MS: '600' });
    expect(await service.ended).toMatchObject({ code: 69 });
    expect(service.output).toMatch(
      /\nexample: The database at .* lacks the Phaseline schema\. Run the migrations as its owner\.\n/,
    );
    await bare.drop();
  });

  it('names the required migrations that the database lacks', async () => {
    const behind = await createTestDatabase();
    const owner = new pg.Client({ connectionString: behind.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ name: string }>(
      'DELETE FROM phaseline.migrations WHERE name = (SELECT max(name) FROM phaseline.migrations) RETURNING name',
    );
    await owner.end();
    const service = start({ DATABASE_URL: behind.serviceUrl, PHASELINE_DATABASE_WAIT_MS: '600' });
    expect(await service.ended).toMatchObject({ code: 69 });
    expect(service.output).toContain(`lacks ${rows[0]!.name}. Run the migrations as its owner.`);
    await behind.drop();
  });
});

const redisUrl = getTestRedisUrl();

describe.skipIf(redisUrl === undefined)('a service on Redis (needs a Redis)', () => {
  const prefix = `{spec-${process.pid}}`;

  it('receives its messages from Redis', async () => {
    const service = start({ REDIS_URL: redisUrl, PHASELINE_REDIS_PREFIX: prefix });
    await service.waitForUrl();
    await withQueues({ backend: 'redis', url: redisUrl!, prefix }, (queues) =>
      queues.send('tools', createCall('quick')),
    );
    await service.waitForOutput('handling quick');
  });

  it('exits with 69 when the Redis server does not respond', async () => {
    const service = start({ REDIS_URL: 'redis://:hunter22@127.0.0.1:1', PHASELINE_DATABASE_WAIT_MS: '1000' });
    expect(await service.ended).toMatchObject({ code: 69 });
    expect(service.output).toMatch(/\nexample: The queue server \(Redis\) /);
    expect(service.output).not.toMatch(/hunter22|\n {4}at /);
  });
});
