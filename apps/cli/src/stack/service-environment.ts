import type { ServiceName } from './project-files.js';
import type { QueueBackend } from './stack-plan.js';

export interface StackSettings {
  /** As the services log in. */
  readonly databaseUrl: string;
  readonly queue: QueueBackend;
  readonly redisUrl: string | undefined;
  readonly workspaceRoot: string;
  /** Of the rehearsal server, where one runs. */
  readonly rehearsalUrl: string | undefined;
}

/** How long a service may take to shut down; the supervisor waits a little longer and then kills. */
export const SERVICE_SHUTDOWN_MS = 5_000;

const workers: readonly ServiceName[] = ['strategic-worker', 'tactical-worker'];

/** Which services need a secret. All need the database, the queues and the master keys, which are given to each. */
const secretsOf: Readonly<Record<string, readonly ServiceName[]>> = {
  OPENAI_API_KEY: workers,
  PHASELINE_API_KEYS: ['orchestrator'],
  // `startStack` gives the orchestrator the file that it has made or found.
  PHASELINE_AUDIT_KEY: [],
  TAVILY_API_KEY: ['tool-runner'],
  NEO4J_PASSWORD: ['tool-runner'],
  PHASELINE_EMBEDDINGS_API_KEY: ['tool-runner'],
  // Of this command itself: migrations, producers and clients.
  PHASELINE_API_KEY: [],
  PHASELINE_APP_PASSWORD: [],
  PHASELINE_DB_PASSWORD: [],
  PHASELINE_OWNER_PASSWORD: [],
  PHASELINE_PRODUCER_URL: [],
  PGPASSWORD: [],
  PGPASSFILE: [],
};

/**
 * Returns the environment of a service: the caller's own, so that every setting of a service can be given to `up` and `demo`, with
 * what this stack decides put over it. Secrets go only to the services that need them; settings of the caller's own shell go to none.
 */
export function serviceEnvironment(
  name: ServiceName,
  env: NodeJS.ProcessEnv,
  settings: StackSettings,
  port: number,
): NodeJS.ProcessEnv {
  const { REDIS_URL: _redis, PHASELINE_URL: _url, ...rest } = env;
  const inherited = Object.fromEntries(
    Object.entries(rest).filter(([variable]) => secretsOf[variable]?.includes(name) ?? true),
  );
  return {
    ...inherited,
    DATABASE_URL: settings.databaseUrl,
    QUEUE_BACKEND: settings.queue,
    ...(settings.redisUrl === undefined ? {} : { REDIS_URL: settings.redisUrl }),
    PHASELINE_HOST: '127.0.0.1',
    // The command has read it, and decides what each service gets of it.
    PHASELINE_ENV_FILE: 'none',
    PORT: String(port),
    WORKSPACE_ROOT: settings.workspaceRoot,
    PHASELINE_SHUTDOWN_TIMEOUT_MS: env.PHASELINE_SHUTDOWN_TIMEOUT_MS ?? String(SERVICE_SHUTDOWN_MS),
    ...(settings.rehearsalUrl === undefined
      ? {}
      : { OPENAI_BASE_URL: settings.rehearsalUrl, OPENAI_API_KEY: 'no-key-needed', PHASELINE_PROFILE: 'rehearsal' }),
  };
}

/** The rehearsal server needs nothing of the caller's settings, and no secret of theirs. */
export function rehearsalEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: env.PATH,
    HOME: env.HOME,
    TMPDIR: env.TMPDIR,
    NO_COLOR: '1',
    ...picked(env, ['PHASELINE_DEBUG', 'PHASELINE_REHEARSAL_LATENCY_MS']),
  };
}

function picked(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
