import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, findFreePort } from '@phaseline/local-stack';
import { inspectRedis } from '@phaseline/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Limits } from '../limits.js';
import type { Check } from '../check.js';
import { closeAll, runCheck, openTestTarget } from '../testing/doctor-target.fixture.js';
import { database } from './database.js';
import { definitions } from './definitions.js';
import { disk } from './disk.js';
import { model } from './model.js';
import { node } from './node.js';
import { queues } from './queues.js';
import { redis } from './redis.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
});
afterEach(closeAll);
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (check: Check, env: NodeJS.ProcessEnv = {}, limits: Partial<Limits> = {}) =>
  runCheck(await openTestTarget({ PHASELINE_HOME: folder, ...env }, limits), check);

it('node: fails if too old', async () => {
  expect(await run(node)).toMatchObject([{ level: 'ok' }]);
  expect(await run(node, {}, { nodeMajor: 99 })).toMatchObject([
    { level: 'fail', text: expect.stringContaining('is older than 99') },
  ]);
});

it('database: fails if there is none', async () => {
  expect(await run(database)).toMatchObject([
    {
      level: 'fail',
      text: expect.stringContaining('DATABASE_URL is not set'),
      remedy: expect.stringContaining('phaseline up'),
    },
  ]);
});

describe('disk', () => {
  it('fails if too little space is free', async () => {
    expect(await run(disk)).toMatchObject([{ level: 'ok' }]);
    const findings = await run(disk, {}, { freeBytes: 2 ** 60 });
    expect(findings[0]).toMatchObject({ level: 'fail', text: expect.stringMatching(/free at .* \(PHASELINE_HOME\)/) });
  });

  // A file where a folder is expected fails for every user, including root.
  it('fails if a folder cannot be written', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await run(disk, { PHASELINE_WORKSPACES_DIR: join(file, 'inside') })).toMatchObject([
      { level: 'fail', text: expect.stringContaining('(PHASELINE_WORKSPACES_DIR) cannot be written: ') },
    ]);
    expect(await run(disk, { PHASELINE_WORK_DIR: join(file, 'inside') })).toMatchObject([
      { level: 'fail', text: expect.stringContaining('(PHASELINE_WORK_DIR) cannot be written: ') },
    ]);
  });
});

it('definitions: fails with file and line if an agent is invalid', async () => {
  expect(await run(definitions)).toMatchObject([{ level: 'ok' }]);
  const agents = join(folder, 'agents');
  await mkdir(join(agents, 'bad'), { recursive: true });
  await writeFile(join(agents, 'bad', 'agent.yaml'), 'name: bad\ndisplayNam: Bad\n');
  expect(await run(definitions, { PHASELINE_AGENTS_DIR: agents })).toMatchObject([
    {
      level: 'fail',
      text: expect.stringMatching(/agent\.yaml:2.*displayNam/),
      remedy: expect.stringContaining('agents validate'),
    },
  ]);
});

describe('model', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const allowed = request.headers.authorization === 'Bearer good-key-0123456789';
      response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(allowed ? { data: [{ id: 'small' }, { id: 'large' }] } : { error: 'no' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  });
  afterAll(() => server.close());

  it('passes if the server has the model, and warns if not', async () => {
    const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'good-key-0123456789', PHASELINE_MODEL: 'small' };
    expect(await run(model, env)).toMatchObject([{ level: 'ok', text: expect.stringContaining('model small') }]);
    expect(await run(model, { ...env, PHASELINE_MODEL: 'huge' })).toMatchObject([
      { level: 'warn', text: expect.stringMatching(/does not list huge .* it has small, large/) },
    ]);
    expect(await run(model)).toMatchObject([{ level: 'ok', text: expect.stringContaining('rehearsal') }]);
  });

  it('fails if the key is rejected, without showing it', async () => {
    const findings = await run(model, { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'wrong-key-0123456789' });
    expect(findings).toMatchObject([{ level: 'fail', text: expect.stringContaining('it rejects the key (401)') }]);
    expect(JSON.stringify(findings)).not.toContain('wrong-key');
  });

  it('fails if the server cannot be reached', async () => {
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${await findFreePort()}/v1`, OPENAI_API_KEY: 'k' };
    expect(await run(model, env)).toMatchObject([
      { level: 'fail', text: expect.stringMatching(/cannot be reached \(.*ECONNREFUSED/) },
    ]);
  });
});

const canStart = (await findRedisServer()) !== undefined;
describe.skipIf(!canStart)('redis (needs redis-server on the PATH)', () => {
  const servers: ChildProcess[] = [];
  afterAll(async () => {
    for (const server of servers) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  });

  async function start(...options: string[]): Promise<string> {
    const port = String(await findFreePort());
    const server = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--dir', folder, ...options], {
      stdio: 'ignore',
    });
    servers.push(server);
    const url = `redis://127.0.0.1:${port}`;
    await expect
      .poll(
        () =>
          inspectRedis(url).then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 10_000 },
      )
      .toBe('up');
    return url;
  }
  const runRedis = (url: string, limits: Partial<Limits> = {}) =>
    run(redis, { PHASELINE_QUEUE_BACKEND: 'redis', REDIS_URL: url }, limits);

  it('reports a version that is too old, eviction, and missing persistence', async () => {
    const url = await start('--maxmemory-policy', 'allkeys-lru', '--save', '', '--appendonly', 'no');
    expect(await runRedis(url, { redis: [99, 0] })).toMatchObject([
      { level: 'fail', text: expect.stringContaining('is too old'), remedy: expect.stringContaining('99.0') },
      {
        level: 'fail',
        text: expect.stringContaining('maxmemory-policy allkeys-lru'),
        remedy: expect.stringContaining('noeviction'),
      },
      {
        level: 'warn',
        text: expect.stringContaining('persists nothing'),
        remedy: expect.stringContaining('appendonly yes'),
      },
    ]);
  });

  it('passes if configured correctly, and fails if unreachable', async () => {
    const url = await start('--appendonly', 'yes');
    expect(await runRedis(url)).toMatchObject([{ level: 'ok', text: expect.stringContaining('noeviction') }]);
    const away = `redis://:hunter22@127.0.0.1:${await findFreePort()}`;
    const findings = [
      ...(await runRedis(away)),
      ...(await run(queues, { PHASELINE_QUEUE_BACKEND: 'redis', REDIS_URL: away })),
    ];
    expect(findings).toMatchObject([
      { level: 'fail', remedy: expect.stringContaining('REDIS_URL') },
      { level: 'skipped' },
    ]);
    expect(JSON.stringify(findings)).not.toContain('hunter22');
  });
});
