import { resolve } from 'node:path';
import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { ProcessRegistry } from '@phaseline/cluster';
import { Histories } from '@phaseline/repository';
import { createQueues, type Queues } from '@phaseline/queue';
import type { CommandContext } from '../command/command-context.js';
import { localStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';
import type { Need } from './check.js';
import { defaultLimits, type Limits } from './limits.js';

type Pool = ReturnType<typeof createPool>;

/** The system that is examined, as far as it could be reached. */
export interface Patient {
  readonly env: NodeJS.ProcessEnv;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Folders that hold what a running system writes. */
  readonly home: string;
  readonly workspaceRoot: string;
  /** The database in words, never with a login. */
  readonly place: string;
  /** As DATABASE_URL says, or as the owner of the local stack's. */
  readonly pool: Pool;
  /** As the services log in. */
  readonly servicePool: Pool;
  readonly store: EventStore;
  readonly histories: Histories;
  readonly processes: ProcessRegistry;
  readonly queue: { readonly backend: 'postgres' | 'redis'; readonly redisUrl: string | undefined };
  /** Throws when they cannot be reached. */
  readonly queues: () => Promise<Queues>;
  /** The rehearsal server of a local stack that runs. */
  readonly rehearsalUrl: string | undefined;
  /** Why something that checks need is not there; undefined when it is. */
  readonly missing: (need: Need) => Promise<string | undefined>;
  close(): Promise<void>;
}

/** Where the database of the system is, and who starts and stops it. */
export interface DatabasePlace {
  readonly url: string;
  readonly serviceUrl: string;
  readonly name: string;
  /** Why there is none to look at. */
  readonly problem?: string;
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;
/** Nobody connects to it. */
const NOWHERE = 'postgresql://127.0.0.1:1/none';
const nothing = async (): Promise<void> => {};

/** Opens what there is of the system; what cannot be reached is told by the checks. */
export async function openPatient(context: CommandContext, limits: Limits = defaultLimits): Promise<Patient> {
  const { env, currentDirectory } = context;
  const plan = planStack(env);
  const stack = await localStack(env, currentDirectory);
  const database = await findDatabase(context, plan.databaseUrl, stack);
  const home = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  const own = plan.databaseUrl === undefined ? stack : undefined;
  const queue = own
    ? { backend: own.queueBackend, redisUrl: own.redisUrl }
    : { backend: plan.queue, redisUrl: plan.redisUrl };
  const pool = createPool(database.url, { max: 4, applicationName: 'phaseline-doctor' });
  const servicePool =
    database.serviceUrl === database.url
      ? pool
      : createPool(database.serviceUrl, { max: 2, applicationName: 'phaseline-doctor' });
  const store = new EventStore(pool, { checkEvent: assertReadable });
  let opened: Promise<Queues> | undefined;
  const queues = (): Promise<Queues> => (opened ??= openQueues(env, database.serviceUrl, queue));
  const missing = remembered(async (need: Need) => {
    if (database.problem !== undefined) return database.problem;
    if (need === 'queues') return problemOf(queues());
    const reached = await problemOf(pool.query('SELECT 1'));
    if (reached !== undefined || need === 'database') return reached;
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
    workspaceRoot: resolve(currentDirectory, env.WORKSPACE_ROOT?.trim() || `${home}/workspaces`),
    place: database.name,
    pool,
    servicePool,
    store,
    histories: new Histories(store),
    processes: new ProcessRegistry(pool),
    queue,
    queues,
    rehearsalUrl: own?.services['rehearsal-model'],
    missing,
    close: async () => {
      await opened?.then((open) => open.close(2_000)).catch(() => undefined);
      await store.close();
      if (servicePool !== pool) await servicePool.end();
      await pool.end();
      await database.close();
    },
  };
}

/** DATABASE_URL, else the local stack; one that does not run is started for the time being, else there is nothing to look at. */
async function findDatabase(
  context: CommandContext,
  databaseUrl: string | undefined,
  stack: Awaited<ReturnType<typeof localStack>>,
): Promise<DatabasePlace> {
  if (databaseUrl !== undefined) {
    const name = `DATABASE_URL (${new URL(databaseUrl).host})`;
    return { url: databaseUrl, serviceUrl: databaseUrl, name, close: nothing };
  }
  if (stack) {
    const name = `the local stack at ${stack.apiUrl}`;
    return { url: stack.ownerUrl, serviceUrl: stack.serviceUrl, name, close: nothing };
  }
  const { logDatabase } = await import('../audit/log-database.js');
  try {
    const { url, name, close } = await logDatabase(context);
    return { url, serviceUrl: url, name, close };
  } catch (error) {
    return { url: NOWHERE, serviceUrl: NOWHERE, name: 'no database', problem: reasonOf(error), close: nothing };
  }
}

function openQueues(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  { backend, redisUrl }: Patient['queue'],
): Promise<Queues> {
  const prefix = env.PHASELINE_REDIS_PREFIX?.trim();
  const cluster = /^(1|true|yes|on)$/i.test(env.PHASELINE_REDIS_CLUSTER?.trim() ?? '');
  if (backend === 'redis' && redisUrl === undefined) return Promise.reject(new Error('REDIS_URL is not set'));
  return createQueues(
    backend === 'redis'
      ? { backend, url: redisUrl!, cluster, ...(prefix ? { prefix } : {}) }
      : { backend: 'postgres', connectionString: databaseUrl, maxConnections: 2 },
    { onDeadLetter: async () => {}, onError: () => {}, startTimeoutMs: CONNECT_MS },
  );
}

/** Asked once for each: a database that is away is not waited for again by every check. */
function remembered<Key, Value>(ask: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const answers = new Map<Key, Promise<Value>>();
  return (key) => {
    const known = answers.get(key) ?? ask(key);
    answers.set(key, known);
    return known;
  };
}

async function problemOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** A refused connection to several addresses is an AggregateError without a message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
