import type { ServiceName } from './project-files.js';
import type { QueueBackend } from './stack-plan.js';

export interface StackSettings {
  /** Connection string with the login of the services. */
  readonly databaseUrl: string;
  readonly queue: QueueBackend;
  readonly redisUrl: string | undefined;
  readonly workspaceRoot: string;
  /** Folder in which commands run. */
  readonly workRoot: string;
  /** Folder of mirrors of repositories. */
  readonly repositoriesRoot: string;
  /** URL of the rehearsal server, if one runs. */
  readonly rehearsalUrl: string | undefined;
}

/** Time limit for the shutdown of a service. The supervisor waits a little longer, then kills it. */
export const SERVICE_SHUTDOWN_MS = 5_000;

const workers: readonly ServiceName[] = ['strategic-worker', 'tactical-worker'];

/** Services that need each secret. Database, queues and master keys are not listed, because all services need them. */
const secretsOf: Readonly<Record<string, readonly ServiceName[]>> = {
  OPENAI_API_KEY: workers,
  PHASELINE_API_KEYS: ['orchestrator'],
  PHASELINE_OIDC_CLIENT_SECRET: ['orchestrator'],
  PHASELINE_ARCHIVIST_URL: ['orchestrator'],
  // `startStack` passes the path of the key file to the orchestrator.
  PHASELINE_AUDIT_KEY_FILE: [],
  TAVILY_API_KEY: ['tool-runner'],
  NEO4J_PASSWORD: ['tool-runner'],
  PHASELINE_EMBEDDINGS_API_KEY: ['orchestrator', 'tool-runner'],
  // Used only by this command and by clients: API key, migrations and producers.
  PHASELINE_API_KEY: [],
  PHASELINE_APP_PASSWORD: [],
  PHASELINE_DB_PASSWORD: [],
  PHASELINE_OWNER_PASSWORD: [],
  PHASELINE_PRODUCER_URL: [],
  PGPASSWORD: [],
  PGPASSFILE: [],
};

/**
 * Returns the environment of a service: that of the caller, so that `up` and `demo` accept every setting of a service, overridden by
 * the settings of this stack. Secrets go only to the services that need them.
 */
export function buildServiceEnvironment(
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
    PHASELINE_QUEUE_BACKEND: settings.queue,
    ...(settings.redisUrl === undefined ? {} : { REDIS_URL: settings.redisUrl }),
    PHASELINE_HOST: '127.0.0.1',
    // This command has already read the file, and passes each service its part.
    PHASELINE_ENV_FILE: 'none',
    PORT: String(port),
    PHASELINE_WORKSPACES_DIR: settings.workspaceRoot,
    PHASELINE_WORK_DIR: settings.workRoot,
    PHASELINE_REPOSITORIES_DIR: settings.repositoriesRoot,
    PHASELINE_SHUTDOWN_TIMEOUT_MS: env.PHASELINE_SHUTDOWN_TIMEOUT_MS ?? String(SERVICE_SHUTDOWN_MS),
    ...(settings.rehearsalUrl === undefined
      ? {}
      : {
          OPENAI_BASE_URL: settings.rehearsalUrl,
          OPENAI_API_KEY: 'no-key-needed',
          PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
        }),
  };
}

/** Returns the environment of the rehearsal server, without the caller's settings and secrets. */
export function buildRehearsalEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: env.PATH,
    HOME: env.HOME,
    TMPDIR: env.TMPDIR,
    NO_COLOR: '1',
    ...pick(env, ['PHASELINE_DEBUG', 'PHASELINE_REHEARSAL_LATENCY_MS']),
  };
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
