import { resolve } from 'node:path';
import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore, openColdStorage } from '@phaseline/event-store';
import { ProcessRegistry } from '@phaseline/cluster';
import { JobRepository } from '@phaseline/repository';
import { createQueues, type Queues } from '@phaseline/queue';
import { getHomeDirectory } from '../connection/home-directory.js';
import type { CommandContext } from '../command/command-context.js';
import { openLogDatabase, type LogDatabase } from '../audit/open-log-database.js';
import { findLocalStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';
import { defaultLimits, type Limits } from './limits.js';
import type { Prerequisite } from './prerequisite.js';

type Pool = ReturnType<typeof createPool>;

/** The system that the checks inspect, as far as it can be reached. */
export interface DoctorTarget {
  readonly env: NodeJS.ProcessEnv;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** PHASELINE_HOME, as an absolute path. */
  readonly home: string;
  readonly workspaceRoot: string;
  /** Folder in which commands run. */
  readonly workRoot: string;
  /** Display name of the database; never contains a login. */
  readonly databaseName: string;
  /** Uses the login of DATABASE_URL, or the owner of the local stack's database. */
  readonly pool: Pool;
  /** Uses the login of the services. */
  readonly servicePool: Pool;
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly processes: ProcessRegistry;
  readonly queue: { readonly backend: 'postgres' | 'redis'; readonly redisUrl: string | undefined };
  /** Opens the queues. Throws if they cannot be reached. */
  readonly openQueues: () => Promise<Queues>;
  /** URL of the rehearsal model of a running local stack. */
  readonly rehearsalUrl: string | undefined;
  /** Returns why a prerequisite is missing, or undefined if it is there. */
  readonly whyMissing: (need: Prerequisite) => Promise<string | undefined>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Placeholder if there is no database; never connected to. */
const NO_DATABASE_URL = 'postgresql://127.0.0.1:1/none';

/** Opens the parts of the system that exist. The checks report parts that cannot be reached. */
export async function openTarget(context: CommandContext, limits: Limits = defaultLimits): Promise<DoctorTarget> {
  const { env, currentDirectory } = context;
  const plan = planStack(env);
  const stack = await findLocalStack(env, currentDirectory);
  const database = await openDatabase(context);
  const home = getHomeDirectory(env, currentDirectory);
  const usedStack = plan.databaseUrl === undefined ? stack : undefined;
  const queue = usedStack
    ? { backend: usedStack.queueBackend, redisUrl: usedStack.redisUrl }
    : { backend: plan.queue, redisUrl: plan.redisUrl };
  const pool = createPool(database.ownerUrl, { max: 4, applicationName: 'phaseline-doctor' });
  const servicePool =
    database.url === database.ownerUrl
      ? pool
      : createPool(database.url, { max: 2, applicationName: 'phaseline-doctor' });
  const store = new EventStore(pool, { checkEvent: assertReadable, cold: openColdStorage(env) });
  let opened: Promise<Queues> | undefined;
  const queues = (): Promise<Queues> => (opened ??= openQueues(env, database.url, queue));
  const missing = memoize(async (need: Prerequisite) => {
    if (database.problem !== undefined) return database.problem;
    if (need === 'queues') return describeFailure(queues());
    const problem = await describeFailure(pool.query('SELECT 1'));
    if (problem !== undefined || need === 'database') return problem;
    const { rows } = await pool.query<{ there: boolean }>(
      `SELECT to_regclass('phaseline.streams') IS NOT NULL AS there`,
    );
    return rows[0]?.there ? undefined : 'the database has no Phaseline schema';
  });
  return {
    env,
    limits,
    signal: context.signal,
    now: context.now,
    home,
    workspaceRoot: resolve(currentDirectory, env.PHASELINE_WORKSPACES_DIR?.trim() || `${home}/workspaces`),
    workRoot: resolve(currentDirectory, env.PHASELINE_WORK_DIR?.trim() || `${home}/work`),
    databaseName: database.name,
    pool,
    servicePool,
    store,
    repository: new JobRepository(store),
    processes: new ProcessRegistry(pool),
    queue,
    openQueues: queues,
    rehearsalUrl: usedStack?.services['rehearsal-model'],
    whyMissing: missing,
    close: async () => {
      await opened?.then((open) => open.close(2_000)).catch(() => undefined);
      await store.close();
      if (servicePool !== pool) await servicePool.end();
      await pool.end();
      await database.close();
    },
  };
}

/** Returns the database with the reason why there is none to check, if so. */
async function openDatabase(context: CommandContext): Promise<LogDatabase & { readonly problem?: string }> {
  return openLogDatabase(context).catch((error: unknown) => ({
    url: NO_DATABASE_URL,
    ownerUrl: NO_DATABASE_URL,
    name: 'no database',
    problem: describeError(error),
    close: async () => {},
  }));
}

function openQueues(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  { backend, redisUrl }: DoctorTarget['queue'],
): Promise<Queues> {
  const prefix = env.PHASELINE_REDIS_PREFIX?.trim();
  const cluster = /^(1|true|yes|on)$/i.test(env.PHASELINE_REDIS_CLUSTER?.trim() ?? '');
  if (backend === 'redis' && redisUrl === undefined) return Promise.reject(new Error('REDIS_URL is not set'));
  return createQueues(
    backend === 'redis'
      ? { backend, url: redisUrl!, cluster, ...(prefix ? { prefix } : {}) }
      : { backend: 'postgres', connectionString: databaseUrl, maxConnections: 2 },
    { onDeadLetter: async () => {}, onError: () => {}, startTimeoutMs: CONNECT_TIMEOUT_MS },
  );
}

/** Calls `compute` once per key, so that not every check waits for an unreachable database. */
function memoize<Key, Value>(compute: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const results = new Map<Key, Promise<Value>>();
  return (key) => {
    const result = results.get(key) ?? compute(key);
    results.set(key, result);
    return result;
  };
}

async function describeFailure(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** Returns the message of an error. A connection refused by several addresses is an AggregateError without a message. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
