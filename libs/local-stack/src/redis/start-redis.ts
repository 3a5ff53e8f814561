import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PortInUse, ServerStartFailed } from '../local-stack-error.js';
import { findFreePort } from '../process/find-free-port.js';
import { WatchedProcess } from '../process/watched-process.js';

export interface RedisOptions {
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined;
  /** Folder for the data (append-only file, flushed every second). Default: data are not kept. */
  readonly dataDir?: string | undefined;
  /** Number of databases. Default 16. */
  readonly databases?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** Password of the server, so that clients can still connect after a restart. Default: a new random password. */
  readonly password?: string | undefined;
}

export interface RunningRedis {
  /** URL of database 0. Contains a password. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the server has exited for any reason. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Finds the first `redis-server` on the PATH; undefined if there is none. */
export async function findRedisServer(path: string | undefined = process.env.PATH): Promise<string | undefined> {
  for (const directory of (path ?? '').split(delimiter).filter(Boolean)) {
    const candidate = join(directory, 'redis-server');
    if (
      await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return candidate;
  }
  return undefined;
}

/**
 * Starts a Redis server on 127.0.0.1 that exits when this process exits, even by SIGKILL. Returns undefined if there is no `redis-server`.
 * @throws PortInUse | ServerStartFailed
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis | undefined> {
  const command = await findRedisServer();
  if (command === undefined) return undefined;
  const directory = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'phaseline-redis-')));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const password = options.password ?? randomBytes(24).toString('base64url');
  // Another process may take the free port before Redis binds it; then try another one.
  for (let attemptsLeft = options.port === undefined ? 5 : 1; ; attemptsLeft--) {
    const port = options.port ?? (await findFreePort());
    const config = join(directory, 'redis.conf');
    // In a file, because other users can read a command line.
    await writeFile(config, buildConfiguration(options, port, directory, password), { mode: 0o600 });
    const server = new WatchedProcess({
      command,
      args: [config],
      env: { PATH: process.env.PATH },
      cwd: directory,
      log: options.log,
    });
    const cleanUp = (): Promise<void> =>
      options.dataDir ? Promise.resolve() : rm(directory, { recursive: true, force: true });
    if (await waitUntilReady(server, port, password)) {
      return {
        url: `redis://:${password}@127.0.0.1:${port}`,
        port,
        ended: server.ended,
        stop: async () => {
          await server.stop(5_000);
          await cleanUp();
        },
      };
    }
    await server.stop(0);
    const isPortTaken = server.lastLines.some((line) => line.includes('Address already in use'));
    if (isPortTaken && attemptsLeft > 1) continue;
    await cleanUp();
    throw isPortTaken
      ? new PortInUse(port, 'Redis')
      : new ServerStartFailed('Redis did not start. Its last log lines:', server.lastLines.slice(-8));
  }
}

function buildConfiguration(options: RedisOptions, port: number, directory: string, password: string): string {
  const lines = {
    bind: '127.0.0.1',
    port,
    requirepass: password,
    databases: options.databases ?? 16,
    dir: JSON.stringify(directory),
    save: '""',
    appendonly: options.dataDir === undefined ? 'no' : 'yes',
    // BullMQ requires that no key is evicted.
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    logfile: '""',
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

/** Time for Redis to respond after a start. It is extended while Redis reports that it is loading its data. */
const START_TIMEOUT_MS = 10_000;

async function waitUntilReady(server: WatchedProcess, port: number, password: string): Promise<boolean> {
  for (
    let deadline = performance.now() + START_TIMEOUT_MS;
    server.isRunning && performance.now() < deadline;
    await delay(10)
  ) {
    const state = await ping(port, password);
    if (state === 'ready') return true;
    if (state === 'loading') deadline = performance.now() + START_TIMEOUT_MS;
  }
  return false;
}

/** Logs in and sends PING over a plain socket, so that no Redis client has to be loaded. */
function ping(port: number, password: string): Promise<'ready' | 'loading' | 'no'> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let response = '';
    const end = (state: 'ready' | 'loading' | 'no'): void => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(1_000, () => end('no'));
    socket.once('error', () => end('no')).once('close', () => end('no'));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      if (response.includes('+PONG')) end('ready');
      else if (response.includes('-LOADING')) end('loading');
      else if (response.startsWith('-')) end('no');
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
