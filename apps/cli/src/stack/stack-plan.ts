import { BadEnvironment } from '../command/command-errors.js';

export type QueueBackend = 'postgres' | 'redis';

/** Which parts of a stack to start, and which external ones to use. */
export interface StackPlan {
  /** DATABASE_URL. If undefined, an embedded PostgreSQL is started. */
  readonly databaseUrl: string | undefined;
  readonly queue: QueueBackend;
  /** REDIS_URL. If undefined, the Redis backend starts a `redis-server`. */
  readonly redisUrl: string | undefined;
  readonly model: ModelPlan;
}

export type ModelPlan =
  /** The scripted rehearsal model, started as a child process. */
  | { readonly kind: 'rehearsal' }
  /** A model server, used with the settings in the environment. */
  | { readonly kind: 'server'; readonly baseUrl: string; readonly model: string | undefined };

const OPENAI_URL = 'https://api.openai.com/v1';

/** Plans a stack from the environment and the options. Throws BadEnvironment. */
export function planStack(
  env: NodeJS.ProcessEnv,
  options: { readonly queueBackend?: QueueBackend | undefined } = {},
): StackPlan {
  const databaseUrl = readUrl(
    env,
    'DATABASE_URL',
    ['postgresql:', 'postgres:'],
    'postgresql://user:password@host:5432/phaseline',
  );
  const redisUrl = readUrl(env, 'REDIS_URL', ['redis:', 'rediss:'], 'redis://host:6379');
  const backend = readVariable(env, 'PHASELINE_QUEUE_BACKEND');
  if (backend !== undefined && backend !== 'postgres' && backend !== 'redis') {
    throw new BadEnvironment(`PHASELINE_QUEUE_BACKEND is "${backend}"; expected "postgres" or "redis".`);
  }
  return {
    databaseUrl,
    queue: options.queueBackend ?? backend ?? (redisUrl === undefined ? 'postgres' : 'redis'),
    redisUrl,
    model: planModel(env),
  };
}

function planModel(env: NodeJS.ProcessEnv): ModelPlan {
  const baseUrl = readUrl(env, 'OPENAI_BASE_URL', ['http:', 'https:'], 'http://127.0.0.1:8080/v1');
  if (baseUrl === undefined && readVariable(env, 'OPENAI_API_KEY') === undefined) return { kind: 'rehearsal' };
  return { kind: 'server', baseUrl: baseUrl ?? OPENAI_URL, model: readVariable(env, 'PHASELINE_MODEL') };
}

/** Reads a variable. As in the services, an empty value counts as not set. */
function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function readUrl(
  env: NodeJS.ProcessEnv,
  name: string,
  protocols: readonly string[],
  example: string,
): string | undefined {
  const value = readVariable(env, name);
  if (value === undefined || (URL.canParse(value) && protocols.includes(new URL(value).protocol))) return value;
  // The value may hold a password, so it is not repeated.
  throw new BadEnvironment(`${name} is not a valid URL. Expected something like ${example}.`);
}
