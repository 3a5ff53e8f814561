import {
  isPortFree,
  PortInUse,
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
import { auditKey } from '../audit/audit-key.js';
import { masterKeySettings } from './master-key.js';
import { counted } from '../output/quantities.js';
import { BadEnvironment, StackRuns } from '../command/command-errors.js';
import { firstApiKey } from './first-api-key.js';
import { freePorts } from './free-ports.js';
import { databaseWaitMs, migrateDatabase } from './migrate-database.js';
import { appMain, projectRoot, serviceNames } from './project-files.js';
import { rehearsalEnvironment, SERVICE_SHUTDOWN_MS, serviceEnvironment } from './service-environment.js';
import type { StackPlan } from './stack-plan.js';
import { waitForRedis } from './wait-for-redis.js';

export interface StartStackOptions {
  readonly home: LocalHome;
  readonly plan: StackPlan;
  readonly env: NodeJS.ProcessEnv;
  /** Of the HTTP API; any free one where it is missing. */
  readonly port?: number | undefined;
  /** Ends the start. Afterwards use `stop`. */
  readonly signal: AbortSignal;
  /** One plain line for each part that is up, and for what is odd. */
  readonly onStep?: (line: string) => void;
  readonly onServiceEvent?: (event: ServiceEvent) => void;
  /** For tests: where the programs of the services are. */
  readonly root?: string;
  /** For tests: false does without flushing to the disk. */
  readonly durable?: boolean;
}

export interface RunningStack {
  readonly apiUrl: string;
  /** The first of PHASELINE_API_KEYS, where there are any. */
  readonly apiKey: string | undefined;
  /** As the owner of the schema where the database is this stack's own, else as DATABASE_URL says. */
  readonly databaseUrl: string;
  readonly workspaceRoot: string;
  readonly services: () => readonly ServiceStatus[];
  readonly urls: Readonly<Record<string, string>>;
  /** Resolves with the error of what cannot be kept running; never, while all is well. */
  readonly failed: Promise<Error>;
  /** Stops everything in order, within some 20 s at the worst. Never throws. */
  stop(): Promise<void>;
}

/** As long as for the database. */
const REDIS_WAIT_MS = 30_000;
const CHOOSE_PORT = 'Choose another one with --port';
const STOP_SERVICES_MS = SERVICE_SHUTDOWN_MS + 2_000;

/**
 * Brings up the whole system on this machine: database, queues, model server and the four services, each in a process of its
 * own that ends with this one. What was started before a failure is stopped again.
 * Throws StackRuns, LocalStackError, the errors of the migrations, or the signal's reason.
 */
export async function startStack(options: StartStackOptions): Promise<RunningStack> {
  const { home, plan, env, signal } = options;
  const step = options.onStep ?? (() => {});
  const running = await home.running();
  if (running) {
    throw new StackRuns(
      `A stack runs in ${home.directory} already, at ${running.apiUrl}. Use it, stop it with Ctrl-C where it was started, or set PHASELINE_HOME to another folder.`,
    );
  }
  const mains = Object.fromEntries(
    await Promise.all(serviceNames.map(async (name) => [name, await appMain(name, options.root)] as const)),
  );
  const cli = plan.model.kind === 'rehearsal' ? await appMain('cli', options.root) : undefined;
  if (options.port !== undefined && !(await isPortFree(options.port)))
    throw new PortInUse(options.port, 'The orchestrator', { remedy: CHOOSE_PORT });

  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const action of undo.splice(0).reverse()) await action().catch(() => undefined);
  };
  try {
    const postgres = await database(options);
    if (postgres) undo.push(() => postgres.stop());
    signal.throwIfAborted();
    const databaseUrl = postgres?.ownerUrl ?? plan.databaseUrl!;
    const applied = await migrateDatabase(databaseUrl, {
      log: step,
      // Their names mean something to operators, who run `phaseline migrate`; here they would hide what a first user looks for.
      logMigration: () => {},
      signal,
      waitMs: databaseWaitMs(env),
      tolerant: postgres === undefined,
    });
    if (applied.length > 0) step(`${counted(applied.length, 'migration')} applied to the database`);
    const redis = await queueServer(options);
    if (redis) undo.push(() => redis.stop());
    signal.throwIfAborted();

    const workspaceRoot = env.WORKSPACE_ROOT?.trim() || home.workspaceDirectory;
    const ports = await freePorts(serviceNames.length + 1);
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
      rehearsalUrl: cli === undefined ? undefined : `http://127.0.0.1:${modelPort}/v1`,
    };
    const { path: auditKeyFile } = await auditKey({ env, home: home.directory });
    const masterKeys = await masterKeySettings(env, home.directory);
    const specs: ServiceSpec[] = serviceNames.map((name) => ({
      name,
      command: process.execPath,
      args: [mains[name]!],
      env: {
        ...serviceEnvironment(name, env, settings, portOf[name]!),
        ...masterKeys,
        ...(name === 'orchestrator' ? { PHASELINE_AUDIT_KEY: auditKeyFile } : {}),
      },
      healthUrl: `http://127.0.0.1:${portOf[name]}/ready`,
      cwd: projectRoot,
    }));
    if (cli !== undefined) {
      specs.push({
        name: 'rehearsal-model',
        command: process.execPath,
        args: [cli, 'rehearse', '--port', String(modelPort)],
        env: rehearsalEnvironment(env),
        healthUrl: `http://127.0.0.1:${modelPort}/v1/models`,
        cwd: projectRoot,
      });
    }
    const supervision: Supervision = await superviseServices(specs, {
      logDirectory: home.logDirectory,
      onEvent: (event) => {
        if (event.type === 'catching-up') step(event.message);
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
    const apiKey = firstApiKey(env.PHASELINE_API_KEYS);
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
      failed: failureOf(supervision, postgres, redis),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function database({
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

async function queueServer({ home, plan, env, signal, onStep }: StartStackOptions): Promise<RunningRedis | undefined> {
  if (plan.queue === 'postgres') return undefined;
  if (plan.redisUrl !== undefined) {
    const { host } = new URL(plan.redisUrl);
    await waitForRedis(plan.redisUrl, {
      timeoutMs: databaseWaitMs(env) ?? REDIS_WAIT_MS,
      signal,
      onWait: () => onStep?.(`waiting for Redis at ${host}`),
    });
    onStep?.(`Redis of REDIS_URL at ${host}`);
    return undefined;
  }
  const redis = await startRedis({ dataDir: `${home.directory}/redis` });
  if (!redis)
    throw new BadEnvironment(
      'The Redis backend needs a Redis: set REDIS_URL, or install redis-server. Without --queue redis, PostgreSQL holds the queues.',
    );
  onStep?.(`Redis on port ${redis.port}`);
  return redis;
}

/** The first part that ends for good although nobody asked it to. */
async function failureOf(
  supervision: Supervision,
  postgres: RunningPostgres | undefined,
  redis: RunningRedis | undefined,
): Promise<Error> {
  const lost = async (part: { readonly ended: Promise<unknown> } | undefined, name: string): Promise<Error> => {
    if (!part) return new Promise<never>(() => {});
    await part.ended;
    return new Error(`${name} ended although nobody asked it to.`);
  };
  return Promise.race([supervision.gaveUp, lost(postgres, 'PostgreSQL'), lost(redis, 'Redis')]);
}
