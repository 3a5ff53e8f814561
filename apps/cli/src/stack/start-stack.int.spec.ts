import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createPool, migrate } from '@phaseline/event-store';
import { openLocalHome, PortInUse, ServiceFailed, type LocalHome } from '@phaseline/local-stack';
import { createTestDatabase } from '@phaseline/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NotBuilt, StackRuns } from '../command/command-errors.js';
import { planStack } from './stack-plan.js';
import { startStack, type RunningStack, type StartStackOptions } from './start-stack.js';

/** Replaces a service: reports that it is ready, writes its environment to a file, and exits when its supervisor exits. */
const DUMMY = `
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
if (process.env.DUMMY_BAD_CONFIG) { console.error('DATABASE_URL: is wrong'); process.exit(78); }
writeFileSync(import.meta.filename.replace('.js', '.json'), JSON.stringify({ ...process.env, pid: process.pid }));
createServer((request, response) => response.end(JSON.stringify({ pid: process.pid }))).listen(Number(process.env.PORT), process.env.PHASELINE_HOST);
process.stdin.on('end', () => process.exit(0)).resume();
process.on('SIGTERM', () => process.exit(0));
`;
const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const realCli = pathToFileURL(fileURLToPath(new URL('../../dist/main.js', import.meta.url))).href;

let root: string;
let home: LocalHome;
let running: RunningStack | undefined;
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'debug' };

// All tests share one home, because creating its database takes longer than everything else.
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'phaseline-stack-'));
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  // The user that PostgreSQL runs as needs access to its data.
  await chmod(root, 0o755);
  await writeProgram('apps/cli/dist/main.js', `await import(${JSON.stringify(realCli)});`);
  home = await openLocalHome({ PHASELINE_HOME: join(root, 'home') });
});
beforeEach(async () => {
  for (const name of SERVICES) await writeProgram(`dist/services/${name}.js`, DUMMY);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function writeProgram(path: string, source: string): Promise<void> {
  await mkdir(join(root, dirname(path)), { recursive: true });
  await writeFile(join(root, path), source);
}

async function start(change: Partial<StartStackOptions> = {}): Promise<RunningStack> {
  const given = { ...env, ...change.env };
  running = await startStack({
    home,
    root,
    durable: false,
    plan: planStack(given),
    signal: new AbortController().signal,
    ...change,
    env: given,
  });
  return running;
}

async function readEnvironment(service: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(root, 'dist/services', `${service}.json`), 'utf8')) as Record<string, string>;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a stack', () => {
  it('starts a migrated database, four services and the rehearsal model, and stops all of them', async () => {
    const steps: string[] = [];
    const stack = await start({ onStep: (line) => steps.push(line) });
    expect(steps[0]).toMatch(/^PostgreSQL \(embedded\) on port \d+$/);
    expect(stack.services().map(({ name, isReady }) => [name, isReady])).toEqual(
      [...SERVICES, 'rehearsal-model'].map((name) => [name, true]),
    );
    expect((await home.findRunning())?.apiUrl).toBe(stack.apiUrl);
    expect((await migrate(stack.databaseUrl)).applied).toEqual([]);

    const pids = stack.services().map(({ pid }) => pid!);
    await stack.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await home.findRunning()).toBeUndefined();
    const pool = createPool(stack.databaseUrl, { max: 1 });
    await expect(pool.query('SELECT 1')).rejects.toThrow();
    await pool.end();
  });

  it('passes its settings to the services, with a login that has only the rights of services', async () => {
    const stack = await start({ env: { OPENAI_BASE_URL: '', REDIS_URL: '' } });
    const environment = await readEnvironment('tactical-worker');
    expect(environment).toMatchObject({
      PHASELINE_QUEUE_BACKEND: 'postgres',
      PHASELINE_HOST: '127.0.0.1',
      PHASELINE_STOP_ON_STDIN_END: '1',
      PHASELINE_WORKSPACES_DIR: home.workspaceDirectory,
      LOG_LEVEL: 'debug',
      OPENAI_BASE_URL: stack.urls['rehearsal-model'],
      PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
      PORT: new URL(stack.urls['tactical-worker']!).port,
    });
    expect(new URL(environment['DATABASE_URL']!).username).not.toBe(new URL(stack.databaseUrl).username);
    expect((await fetch(`${environment['OPENAI_BASE_URL']}/models`)).status).toBe(200);
  });

  it('starts no rehearsal model if the environment names a model server', async () => {
    const stack = await start({ env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-mine' } });
    expect(stack.services().map(({ name }) => name)).toEqual(SERVICES);
    expect(await readEnvironment('strategic-worker')).toMatchObject({
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API_KEY: 'sk-mine',
    });
  });

  it('uses the database of DATABASE_URL and starts none', async () => {
    const database = await createTestDatabase();
    try {
      await start({ env: { DATABASE_URL: database.ownerUrl } });
      expect((await readEnvironment('orchestrator'))['DATABASE_URL']).toBe(database.ownerUrl);
      await running!.stop();
    } finally {
      await database.drop();
    }
  });

  it('starts with a login that may not migrate', async () => {
    const database = await createTestDatabase();
    const steps: string[] = [];
    try {
      await start({ env: { DATABASE_URL: database.serviceUrl }, onStep: (line) => steps.push(line) });
      expect(steps).toContain('this login may not migrate; using the schema as it is');
      await running!.stop();
    } finally {
      await database.drop();
    }
  });

  it('does not start twice in the same home', async () => {
    const stack = await start();
    await expect(start()).rejects.toThrow(StackRuns);
    expect((await home.findRunning())?.apiUrl).toBe(stack.apiUrl);
    running = stack;
  });

  it('reports a port in use before anything is started', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const steps: string[] = [];
    await expect(
      start({ port: (other.address() as AddressInfo).port, onStep: (line) => steps.push(line) }),
    ).rejects.toThrow(PortInUse);
    expect(steps).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('stops everything if a service does not start, and says why', async () => {
    const failure: unknown = await start({ env: { DUMMY_BAD_CONFIG: '1' } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceFailed);
    expect((failure as Error).message).toContain('DATABASE_URL: is wrong');
    expect(await home.findRunning()).toBeUndefined();
    // The database was stopped, so a new stack can start.
    await start();
  });

  it('stops starting if it is interrupted', async () => {
    const interrupt = new AbortController();
    const starting = start({ signal: interrupt.signal, onStep: () => interrupt.abort(new Error('interrupted')) });
    await expect(starting).rejects.toThrow('interrupted');
    await start();
  });

  it('reports a program that was not built', async () => {
    await rm(join(root, 'dist/services/tool-runner.js'));
    await expect(start()).rejects.toThrow(NotBuilt);
  });

  it('reports that its database has ended', async () => {
    const stack = await start();
    process.kill(await readPostmasterPid(), 'SIGKILL');
    expect((await stack.failed).message).toContain('PostgreSQL ended');
  });
});

async function readPostmasterPid(): Promise<number> {
  const { dataDirectory } = JSON.parse(await readFile(`${home.postgresDirectory}.json`, 'utf8')) as {
    dataDirectory: string;
  };
  return Number((await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
