import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError, PortInUse, ServerStartFailed } from '../local-stack-error.js';
import { freePort, isPortFree } from '../process/free-port.js';
import { thisProcess } from '../process/process-identity.js';
import { WatchedProcess } from '../process/watched-process.js';
import { explainServerFailure, foundALockFile, lostThePort } from './explain-server-failure.js';
import { freeDataDirectory } from './free-data-directory.js';
import { initDataDirectory, resetSuperuserPassword, superuser } from './init-data-directory.js';
import { newPassword, openPostgresState, type PostgresStateFile } from './postgres-state.js';
import { readPostmaster } from './postmaster-pid.js';
import { provisionDatabase, provisionRoles } from './provision-roles.js';
import { serverAccount } from './server-account.js';
import { serverBinaries } from './server-binaries.js';
import { withStartLock } from './start-lock.js';
import { serverArguments, serverEnvironment } from './server-settings.js';

export interface PostgresOptions {
  /** Where the data shall lie. `<dataDir>.json` beside it keeps the passwords of the two logins, and the port. */
  readonly dataDir: string;
  /** Without one: the port of the last run if it is free, else any free one. */
  readonly port?: number | undefined;
  /** False for tests: nothing is ever flushed to the disk. */
  readonly durable: boolean;
  /** Receives the server's log and what this function decides, line by line. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface RunningPostgres {
  /** Database `phaseline` as its owner, for migrations. Holds a password. */
  readonly ownerUrl: string;
  /** Database `phaseline` as the services see it. Holds a password. */
  readonly serviceUrl: string;
  /**
   * Database `postgres` as superuser, for tests that make databases. Holds a password that is stored nowhere, so it is there only
   * where this start set one: at the first start, and at the first of a release that changed the roles.
   */
  readonly superuserUrl: string | undefined;
  readonly port: number;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Where the data really lie. */
  readonly dataDirectory: string;
  /** Resolves when the server has ended, asked or unasked. */
  readonly ended: Promise<unknown>;
  /** Fast shutdown: open transactions are rolled back, all commits are kept. */
  stop(): Promise<void>;
}

const ownerName = 'phaseline_owner';
const appName = 'phaseline_app';
const database = 'phaseline';
/** Raise it when `provisionRoles` or `provisionDatabase` changes: the next start of each data directory then runs them again. */
const PROVISION_VERSION = 1;
/** How long a start may be silent. While it recovers after a crash, PostgreSQL reports its progress every 10 s. */
const startTimeoutMs = 60_000;
/** After SIGKILL of a postmaster its pid stays until it is reaped, and the next one finds a lock file for a moment. */
const retryMs = 5_000;
const stopTimeoutMs = 10_000;

/**
 * Starts the embedded PostgreSQL, and at the first time makes its data directory, the database `phaseline` and its roles. The server listens on 127.0.0.1 only and ends when this process ends, even by SIGKILL.
 * @throws LocalStackError with a code and one message for the user
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  try {
    return await withStartLock(options.dataDir, () => start(options));
  } catch (error) {
    throw error instanceof LocalStackError ? error : explainServerFailure(options.dataDir, [String(error)], error);
  }
}

async function start(options: PostgresOptions): Promise<RunningPostgres> {
  const account = await serverAccount();
  const file = await openPostgresState(options.dataDir, account, options.durable);
  const path = file.state.dataDirectory;
  const env = serverEnvironment();
  await freeDataDirectory(file.state);
  // Before the seconds that a new data directory takes.
  await choosePort(options.port, file.state.port);
  const binaries = await serverBinaries(account);
  const data = {
    path,
    binaries,
    account,
    superuserPassword: newPassword(),
    durable: options.durable,
    env,
  };
  const fresh = await initDataDirectory(data);
  if (fresh) options.log?.(`PostgreSQL data: ${path}`);
  const provision = fresh || file.state.provisioned !== PROVISION_VERSION;
  if (provision && !fresh) await resetSuperuserPassword(data);

  const server = await serve(options, file, (port) => ({
    command: binaries.postgres,
    args: serverArguments({ dataDirectory: path, port, durable: options.durable }),
    env,
    uid: account?.uid,
    gid: account?.gid,
    cwd: '/',
    log: options.log,
  }));
  const { passwords } = file.state;
  const url = (user: string, password: string, name: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${server.port}/${name}`;
  const superuserUrl = provision ? url(superuser, data.superuserPassword, 'postgres') : undefined;
  try {
    if (superuserUrl !== undefined) {
      await provisionRoles(superuserUrl, {
        owner: { name: ownerName, password: passwords.owner },
        app: { name: appName, password: passwords.app },
      });
      await provisionDatabase(superuserUrl, database, ownerName);
      await file.save({ provisioned: PROVISION_VERSION });
    }
  } catch (error) {
    await server.process.stop(stopTimeoutMs);
    throw explainServerFailure(path, [String(error), ...server.process.lastLines], error);
  }
  return {
    ownerUrl: url(ownerName, passwords.owner, database),
    serviceUrl: url(appName, passwords.app, database),
    superuserUrl,
    port: server.port,
    pid: server.pid,
    dataDirectory: path,
    ended: server.process.ended,
    stop: () => server.process.stop(stopTimeoutMs),
  };
}

interface Server {
  readonly process: WatchedProcess;
  readonly port: number;
  readonly pid: number;
}

async function serve(
  options: PostgresOptions,
  file: PostgresStateFile,
  launch: (port: number) => ConstructorParameters<typeof WatchedProcess>[0],
): Promise<Server> {
  const { dataDirectory } = file.state;
  for (const deadline = performance.now() + retryMs; ; await delay(100)) {
    const port = await choosePort(options.port, file.state.port);
    await file.save({ port, startedBy: await thisProcess() });
    const left = await readPostmaster(dataDirectory);
    const server = new WatchedProcess(launch(port));
    const pid = await ready(server, dataDirectory, left?.pid);
    if (pid !== undefined) return { process: server, port, pid };
    const lines = server.lastLines;
    const passing = foundALockFile(lines) || (lostThePort(lines) && options.port === undefined);
    if (passing && performance.now() < deadline) continue;
    if (lostThePort(lines)) throw new PortInUse(port, 'PostgreSQL');
    throw explainServerFailure(dataDirectory, lines);
  }
}

async function choosePort(asked: number | undefined, last: number | undefined): Promise<number> {
  if (asked !== undefined) {
    if (await isPortFree(asked)) return asked;
    throw new PortInUse(asked, 'PostgreSQL');
  }
  return last !== undefined && (await isPortFree(last)) ? last : freePort();
}

/**
 * The postmaster's pid as soon as it takes connections; undefined when it ended first. A predecessor that was killed left
 * its file behind, and that one says "ready" too.
 */
async function ready(
  server: WatchedProcess,
  dataDirectory: string,
  predecessor: number | undefined,
): Promise<number | undefined> {
  let seen = { lines: 0, at: performance.now() };
  for (; server.running; await delay(5)) {
    const postmaster = await readPostmaster(dataDirectory);
    if (postmaster?.ready && postmaster.pid !== predecessor) return postmaster.pid;
    if (server.linesWritten !== seen.lines) seen = { lines: server.linesWritten, at: performance.now() };
    if (performance.now() - seen.at < startTimeoutMs) continue;
    await server.stop(0);
    throw new ServerStartFailed(
      `PostgreSQL is not ready and has written nothing to its log for ${startTimeoutMs / 1000} s.`,
      server.lastLines,
    );
  }
  await server.ended;
  return undefined;
}
