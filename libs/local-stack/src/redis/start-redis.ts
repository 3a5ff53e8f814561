import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PortInUse, ServerStartFailed } from '../local-stack-error.js';
import { freePort } from '../process/free-port.js';
import { WatchedProcess } from '../process/watched-process.js';

export interface RedisOptions {
  /** A free one is chosen when none is given. */
  readonly port?: number | undefined;
  /** Keeps the data here (append-only file, flushed every second). Without it nothing outlives the server. */
  readonly dataDir?: string | undefined;
  /** Number of databases; 16 by default. Tests take one a file. */
  readonly databases?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** So that clients of a server that is started again still get in; a new one each time where none is given. */
  readonly password?: string | undefined;
}

export interface RunningRedis {
  /** Database 0. Holds a password. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the server has ended, asked or unasked. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** The first `redis-server` on the PATH, or undefined. */
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
 * Starts a Redis on 127.0.0.1 that ends with this process, even by SIGKILL. Undefined when there is no `redis-server`.
 * @throws PortInUse | ServerStartFailed
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis | undefined> {
  const command = await findRedisServer();
  if (command === undefined) return undefined;
  const directory = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'phaseline-redis-')));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const password = options.password ?? randomBytes(24).toString('base64url');
  // A free port may be taken by somebody else before Redis binds it: then the next one.
  for (let attemptsLeft = options.port === undefined ? 5 : 1; ; attemptsLeft--) {
    const port = options.port ?? (await freePort());
    const config = join(directory, 'redis.conf');
    // In a file, because everybody can read a command line.
    await writeFile(config, configuration(options, port, directory, password), { mode: 0o600 });
    const server = new WatchedProcess({
      command,
      args: [config],
      env: { PATH: process.env.PATH },
      cwd: directory,
      log: options.log,
    });
    const cleanUp = (): Promise<void> =>
      options.dataDir ? Promise.resolve() : rm(directory, { recursive: true, force: true });
    if (await ready(server, port, password)) {
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
    const portTaken = server.lastLines.some((line) => line.includes('Address already in use'));
    if (portTaken && attemptsLeft > 1) continue;
    await cleanUp();
    throw portTaken
      ? new PortInUse(port, 'Redis')
      : new ServerStartFailed('Redis did not start. Its last words:', server.lastLines.slice(-8));
  }
}

function configuration(options: RedisOptions, port: number, directory: string, password: string): string {
  const lines = {
    bind: '127.0.0.1',
    port,
    requirepass: password,
    databases: options.databases ?? 16,
    dir: JSON.stringify(directory),
    save: '""',
    appendonly: options.dataDir === undefined ? 'no' : 'yes',
    // BullMQ needs every key: none may be evicted.
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    logfile: '""',
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

/** How long a start may take until Redis answers; while it says that it loads its data, it may take longer. */
const startTimeoutMs = 10_000;

async function ready(server: WatchedProcess, port: number, password: string): Promise<boolean> {
  for (let deadline = performance.now() + startTimeoutMs; server.running && performance.now() < deadline; await delay(10)) {
    const answer = await ping(port, password);
    if (answer === 'ready') return true;
    if (answer === 'loading') deadline = performance.now() + startTimeoutMs;
  }
  return false;
}

/** Logs in and pings over a bare socket: no Redis client is loaded for this. */
export function ping(port: number, password: string): Promise<'ready' | 'loading' | 'no'> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const end = (how: 'ready' | 'loading' | 'no'): void => {
      socket.destroy();
      resolve(how);
    };
    socket.setTimeout(1_000, () => end('no'));
    socket.once('error', () => end('no')).once('close', () => end('no'));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('+PONG')) end('ready');
      else if (answer.includes('-LOADING')) end('loading');
      else if (answer.startsWith('-')) end('no');
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
