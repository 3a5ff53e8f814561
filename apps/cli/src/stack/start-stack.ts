import { join } from 'node:path';
import {
  isPortFree,
  PortInUse,
  serviceNodeArguments,
  startPostgres,
  startRedis,
  superviseServices,
  type LocalHome,
  type RunningPostgres,
  type RunningRedis,
  type ServiceEvent,
  type ServiceSpec,
  type ServiceStatus,
  type Supervision,
} from '@phaseline/local-stack';
import { loadAuditKey } from '../audit/load-audit-key.js';
import { prepareMasterKeySettings } from './master-key.js';
import { pluralise } from '../output/quantities.js';
import { BadEnvironment, StackRuns } from '../command/command-errors.js';
import { parseFirstApiKey } from './parse-first-api-key.js';
import { findFreePorts } from './find-free-ports.js';
import { readDatabaseWaitMs, migrateDatabase } from './migrate-database.js';
import { findAppMain, projectRoot, serviceNames } from './project-files.js';
import { buildRehearsalEnvironment, SERVICE_SHUTDOWN_MS, buildServiceEnvironment } from './service-environment.js';
import type { StackPlan } from './stack-plan.js';
import { waitForRedis } from './wait-for-redis.js';

export interface StartStackOptions {
  readonly home: LocalHome;
  readonly plan: StackPlan;
  readonly env: NodeJS.ProcessEnv;
  /** Port of the HTTP API; default: any free port. */
  readonly port?: number | undefined;
  /** Aborts the start. Once started, use `stop`. */
  readonly signal: AbortSignal;
  /** Called with a line for each part that has started, and for anything unusual. */
  readonly onStep?: (line: string) => void;
  readonly onServiceEvent?: (event: ServiceEvent) => void;
  /** For tests: folder with the programs of the services. */
  readonly root?: string;
  /** For tests: false switches off flushing to disk. */
  readonly durable?: boolean;
}

export interface RunningStack {
  readonly apiUrl: string;
  /** The first of PHASELINE_API_KEYS, if any. */
  readonly apiKey: string | undefined;
  /** Connection string with the owner's login for the embedded database, else DATABASE_URL. */
  readonly databaseUrl: string;
  readonly workspaceRoot: string;
  readonly services: () => readonly ServiceStatus[];
  readonly urls: Readonly<Record<string, string>>;
  /** Resolves with an error if a part cannot be kept running; otherwise never. */
  readonly failed: Promise<Error>;
  /** Stops everything in order, within about 20 s at most. Never throws. */
  stop(): Promise<void>;
}

/** Default wait for Redis; the same as for the database. */
const REDIS_WAIT_MS = 30_000;
const CHOOSE_PORT = 'Choose another one with --port';
const STOP_SERVICES_MS = SERVICE_SHUTDOWN_MS + 2_000;

/**
 * Starts the whole system on this machine: database, queues, model server and the four services, each in its own process, which
 * ends with this one. If a part fails, the parts started before it are stopped again.
 * Throws StackRuns, LocalStackError, the errors of the migrations, or the signal's reason.
 */
export async function startStack(options: StartStackOptions): Promise<RunningStack> {
  const { home, plan, env, signal } = options;
  const onStep = options.onStep ?? (() => {});
  const running = await home.findRunning();
  if (running) {
    throw new StackRuns(
      `A stack is already running in ${home.directory}, at ${running.apiUrl}. Use it, stop it with Ctrl-C in its terminal, or set PHASELINE_HOME to another folder.`,
    );
  }
  const mains = Object.fromEntries(
    await Promise.all(serviceNames.map(async (name) => [name, await findAppMain(name, options.root)] as const)),
  );
  const cli = plan.model.kind === 'rehearsal' ? await findAppMain('cli', options.root) : undefined;
  if (options.port !== undefined && !(await isPortFree(options.port)))
    throw new PortInUse(options.port, 'The orchestrator', { remedy: CHOOSE_PORT });

  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const action of undo.splice(0).reverse()) await action().catch(() => undefined);
  };
  try {
    const postgres = await openDatabase(options);
    if (postgres) undo.push(() => postgres.stop());
    signal.throwIfAborted();
    const databaseUrl = postgres?.ownerUrl ?? plan.databaseUrl!;
    const applied = await migrateDatabase(databaseUrl, {
      log: onStep,
      // Names of migrations are for operators, who run `phaseline migrate`; here they would distract new users.
      logMigration: () => {},
      signal,
      waitMs: readDatabaseWaitMs(env),
      allowsMissingPrivilege: postgres === undefined,
    });
    if (applied.length > 0) onStep(`${pluralise(applied.length, 'migration')} applied to the database`);
    const redis = await openQueueServer(options);
    if (redis) undo.push(() => redis.stop());
    signal.throwIfAborted();

    const workspaceRoot = env.PHASELINE_WORKSPACES_DIR?.trim() || home.workspaceDirectory;
    const ports = await findFreePorts(serviceNames.length + 1);
    const portOf = Object.fromEntries(serviceNames.map((name, index) => [name, ports[index]!]));
    if (options.port !== undefined) portOf['orchestrator'] = options.port;
    const modelPort = ports.at(-1)!;
    const serviceUrl = postgres?.serviceUrl ?? plan.databaseUrl!;
    const redisUrl = redis?.url ?? plan.redisUrl;
    const settings = {
      databaseUrl: serviceUrl,
      queue: plan.queue,
      redisUrl: plan.queue === 'redis' ? redisUrl : undefined,
      workspaceRoot,
      workRoot: env.PHASELINE_WORK_DIR?.trim() || join(home.directory, 'work'),
      repositoriesRoot: env.PHASELINE_REPOSITORIES_DIR?.trim() || join(home.directory, 'repositories'),
      rehearsalUrl: cli === undefined ? undefined : `http://127.0.0.1:${modelPort}/v1`,
    };
    const { path: auditKeyFile } = await loadAuditKey({ env, home: home.directory });
    const masterKeys = await prepareMasterKeySettings(env, home.directory);
    const specs: ServiceSpec[] = serviceNames.map((name) => ({
      name,
      command: process.execPath,
      args: [...serviceNodeArguments, mains[name]!],
      env: {
        ...buildServiceEnvironment(name, env, settings, portOf[name]!),
        ...masterKeys,
        ...(name === 'orchestrator' ? { PHASELINE_AUDIT_KEY_FILE: auditKeyFile } : {}),
      },
      healthUrl: `http://127.0.0.1:${portOf[name]}/ready`,
      cwd: projectRoot,
    }));
    if (cli !== undefined) {
      specs.push({
        name: 'rehearsal-model',
        command: process.execPath,
        args: [cli, 'rehearse', '--port', String(modelPort)],
        env: buildRehearsalEnvironment(env),
        healthUrl: `http://127.0.0.1:${modelPort}/v1/models`,
        cwd: projectRoot,
      });
    }
    const supervision: Supervision = await superviseServices(specs, {
      logDirectory: home.logDirectory,
      onEvent: (event) => {
        if (event.type === 'catching-up') onStep(event.message);
        options.onServiceEvent?.(event);
      },
      signal,
    });
    undo.push(() => supervision.stop(STOP_SERVICES_MS));

    const urls = Object.fromEntries([
      ...serviceNames.map((name) => [name, `http://127.0.0.1:${portOf[name]}`] as const),
      ...(settings.rehearsalUrl === undefined ? [] : [['rehearsal-model', settings.rehearsalUrl] as const]),
    ]);
    const apiUrl = urls['orchestrator']!;
    const apiKey = parseFirstApiKey(env.PHASELINE_API_KEYS);
    await home.announce({
      apiUrl,
      ownerUrl: databaseUrl,
      serviceUrl,
      queueBackend: plan.queue,
      redisUrl,
      services: urls,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    undo.push(() => home.retract());
    return {
      apiUrl,
      apiKey,
      databaseUrl,
      workspaceRoot,
      urls,
      services: () => supervision.status(),
      failed: waitForFailure(supervision, postgres, redis),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openDatabase({
  home,
  plan,
  onStep,
  durable = true,
}: StartStackOptions): Promise<RunningPostgres | undefined> {
  if (plan.databaseUrl !== undefined) {
    onStep?.(`PostgreSQL of DATABASE_URL at ${new URL(plan.databaseUrl).host}`);
    return undefined;
  }
  const postgres = await startPostgres({ dataDir: home.postgresDirectory, durable });
  onStep?.(`PostgreSQL (embedded) on port ${postgres.port}`);
  return postgres;
}

async function openQueueServer({
  home,
  plan,
  env,
  signal,
  onStep,
}: StartStackOptions): Promise<RunningRedis | undefined> {
  if (plan.queue === 'postgres') return undefined;
  if (plan.redisUrl !== undefined) {
    const { host } = new URL(plan.redisUrl);
    await waitForRedis(plan.redisUrl, {
      timeoutMs: readDatabaseWaitMs(env) ?? REDIS_WAIT_MS,
      signal,
      onWait: () => onStep?.(`waiting for Redis at ${host}`),
    });
    onStep?.(`Redis of REDIS_URL at ${host}`);
    return undefined;
  }
  const redis = await startRedis({ dataDir: `${home.directory}/redis` });
  if (!redis)
    throw new BadEnvironment(
      'The Redis backend needs a Redis server: set REDIS_URL, or install redis-server. Without --queue-backend redis, the queues are in PostgreSQL.',
    );
  onStep?.(`Redis on port ${redis.port}`);
  return redis;
}

/** Resolves with an error when the first part ends unexpectedly and cannot be restarted. */
async function waitForFailure(
  supervision: Supervision,
  postgres: RunningPostgres | undefined,
  redis: RunningRedis | undefined,
): Promise<Error> {
  const waitForEnd = async (part: { readonly ended: Promise<unknown> } | undefined, name: string): Promise<Error> => {
    if (!part) return new Promise<never>(() => {});
    await part.ended;
    return new Error(`${name} ended unexpectedly.`);
  };
  return Promise.race([supervision.failure, waitForEnd(postgres, 'PostgreSQL'), waitForEnd(redis, 'Redis')]);
}
