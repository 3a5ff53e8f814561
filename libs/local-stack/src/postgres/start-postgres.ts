import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError, PortInUse, ServerStartFailed } from '../local-stack-error.js';
import { findFreePort, isPortFree } from '../process/find-free-port.js';
import { identifyThisProcess } from '../process/process-identity.js';
import { WatchedProcess } from '../process/watched-process.js';
import { explainServerFailure, isDataDirectoryLocked, isPortConflict } from './explain-server-failure.js';
import { waitForFreeDataDirectory } from './wait-for-free-data-directory.js';
import { initDataDirectory, resetSuperuserPassword, SUPERUSER } from './init-data-directory.js';
import { generatePassword, openPostgresState, type PostgresStateFile } from './postgres-state.js';
import { readPostmaster } from './postmaster-pid.js';
import { provisionDatabase, provisionRoles } from './provision-roles.js';
import { findServerAccount } from './server-account.js';
import { findServerBinaries } from './server-binaries.js';
import { withStartLock } from './start-lock.js';
import { buildServerArguments, buildServerEnvironment } from './server-settings.js';

export interface PostgresOptions {
  /** Requested location of the data. `<dataDir>.json` beside it stores the passwords of the two logins and the port. */
  readonly dataDir: string;
  /** Port to listen on. Default: the port of the last run if it is free, else any free port. */
  readonly port?: number | undefined;
  /** Whether data are flushed to disk. False for tests. */
  readonly durable: boolean;
  /** Receives the server's log and messages of this function, line by line. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface RunningPostgres {
  /** URL of the database `phaseline` as its owner, for migrations. Contains a password. */
  readonly ownerUrl: string;
  /** URL of the database `phaseline` with the rights of a service. Contains a password. */
  readonly serviceUrl: string;
  /**
   * URL of the database `postgres` as superuser, for tests that create databases. Its password is not stored, so it is defined only if
   * this start set a new one: at the first start, and at the first start of a release that changed the roles.
   */
  readonly superuserUrl: string | undefined;
  readonly port: number;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Actual location of the data. */
  readonly dataDirectory: string;
  /** Resolves when the server has exited for any reason. */
  readonly ended: Promise<unknown>;
  /** Stops the server with a fast shutdown: open transactions are rolled back. */
  stop(): Promise<void>;
}

const ownerName = 'phaseline_owner';
const appName = 'phaseline_app';
const database = 'phaseline';
/** Version of `provisionRoles` and `provisionDatabase`. Increase it when they change, so that the next start of each data directory runs them again. */
const PROVISION_VERSION = 1;
/** Maximum time without log output during a start. While PostgreSQL recovers after a crash, it logs its progress every 10 s. */
const START_SILENCE_TIMEOUT_MS = 60_000;
/** Time for which a start is retried: the pid of a killed postmaster exists until it is reaped, so its lock file looks valid for a moment. */
const RETRY_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts the embedded PostgreSQL. The first start creates its data directory, the database `phaseline` and its roles. The server listens
 * on 127.0.0.1 only and exits when this process exits, even by SIGKILL.
 * @throws LocalStackError
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  try {
    return await withStartLock(options.dataDir, () => start(options));
  } catch (error) {
    throw error instanceof LocalStackError ? error : explainServerFailure(options.dataDir, [String(error)], error);
  }
}

async function start(options: PostgresOptions): Promise<RunningPostgres> {
  const account = await findServerAccount();
  const file = await openPostgresState(options.dataDir, account, options.durable);
  const path = file.state.dataDirectory;
  const env = buildServerEnvironment();
  await waitForFreeDataDirectory(file.state);
  // Fail early: creating a data directory takes seconds.
  await choosePort(options.port, file.state.port);
  const binaries = await findServerBinaries(account);
  const data = {
    path,
    binaries,
    account,
    superuserPassword: generatePassword(),
    durable: options.durable,
    env,
  };
  const isNew = await initDataDirectory(data);
  if (isNew) options.log?.(`PostgreSQL data: ${path}`);
  const mustProvision = isNew || file.state.provisioned !== PROVISION_VERSION;
  if (mustProvision && !isNew) await resetSuperuserPassword(data);

  const server = await startServer(options, file, (port) => ({
    command: binaries.postgres,
    args: buildServerArguments({ dataDirectory: path, port, durable: options.durable }),
    env,
    uid: account?.uid,
    gid: account?.gid,
    cwd: '/',
    log: options.log,
  }));
  const { passwords } = file.state;
  const buildUrl = (user: string, password: string, name: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${server.port}/${name}`;
  const superuserUrl = mustProvision ? buildUrl(SUPERUSER, data.superuserPassword, 'postgres') : undefined;
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
    await server.process.stop(STOP_TIMEOUT_MS);
    throw explainServerFailure(path, [String(error), ...server.process.lastLines], error);
  }
  return {
    ownerUrl: buildUrl(ownerName, passwords.owner, database),
    serviceUrl: buildUrl(appName, passwords.app, database),
    superuserUrl,
    port: server.port,
    pid: server.pid,
    dataDirectory: path,
    ended: server.process.ended,
    stop: () => server.process.stop(STOP_TIMEOUT_MS),
  };
}

interface Server {
  readonly process: WatchedProcess;
  readonly port: number;
  readonly pid: number;
}

async function startServer(
  options: PostgresOptions,
  file: PostgresStateFile,
  launch: (port: number) => ConstructorParameters<typeof WatchedProcess>[0],
): Promise<Server> {
  const { dataDirectory } = file.state;
  for (const deadline = performance.now() + RETRY_TIMEOUT_MS; ; await delay(100)) {
    const port = await choosePort(options.port, file.state.port);
    await file.save({ port, startedBy: await identifyThisProcess() });
    const previous = await readPostmaster(dataDirectory);
    const server = new WatchedProcess(launch(port));
    const pid = await waitUntilReady(server, dataDirectory, previous?.pid);
    if (pid !== undefined) return { process: server, port, pid };
    const lines = server.lastLines;
    const isTransient = isDataDirectoryLocked(lines) || (isPortConflict(lines) && options.port === undefined);
    if (isTransient && performance.now() < deadline) continue;
    if (isPortConflict(lines)) throw new PortInUse(port, 'PostgreSQL');
    throw explainServerFailure(dataDirectory, lines);
  }
}

async function choosePort(requested: number | undefined, last: number | undefined): Promise<number> {
  if (requested !== undefined) {
    if (await isPortFree(requested)) return requested;
    throw new PortInUse(requested, 'PostgreSQL');
  }
  return last !== undefined && (await isPortFree(last)) ? last : findFreePort();
}

/**
 * Returns the postmaster's pid as soon as it accepts connections; undefined if it exited before. The pid of the predecessor is ignored,
 * because a killed server leaves its file behind, which also says "ready".
 */
async function waitUntilReady(
  server: WatchedProcess,
  dataDirectory: string,
  predecessor: number | undefined,
): Promise<number | undefined> {
  let lastOutput = { lines: 0, at: performance.now() };
  for (; server.isRunning; await delay(5)) {
    const postmaster = await readPostmaster(dataDirectory);
    if (postmaster?.ready && postmaster.pid !== predecessor) return postmaster.pid;
    if (server.linesWritten !== lastOutput.lines) lastOutput = { lines: server.linesWritten, at: performance.now() };
    if (performance.now() - lastOutput.at < START_SILENCE_TIMEOUT_MS) continue;
    await server.stop(0);
    throw new ServerStartFailed(
      `PostgreSQL is not ready and has written nothing to its log for ${START_SILENCE_TIMEOUT_MS / 1000} s.`,
      server.lastLines,
    );
  }
  await server.ended;
  return undefined;
}
