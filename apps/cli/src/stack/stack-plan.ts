import { BadEnvironment } from '../command/command-errors.js';

export type QueueBackend = 'postgres' | 'redis';

/** Which parts of a stack are started here, and which are somebody else's. */
export interface StackPlan {
  /** Given by DATABASE_URL; otherwise an embedded PostgreSQL is started. */
  readonly databaseUrl: string | undefined;
  readonly queue: QueueBackend;
  /** Given by REDIS_URL. On the Redis backend without it a `redis-server` is started. */
  readonly redisUrl: string | undefined;
  readonly model: ModelPlan;
}

export type ModelPlan =
  /** The stand-in that comes with Phaseline, started as a process of its own. */
  | { readonly kind: 'rehearsal' }
  /** A real server, reached with the settings that are in the environment already. */
  | { readonly kind: 'server'; readonly baseUrl: string; readonly model: string | undefined };

const OPENAI = 'https://api.openai.com/v1';

/** What the environment and the options ask for. Throws BadEnvironment. */
export function planStack(
  env: NodeJS.ProcessEnv,
  options: { readonly queue?: QueueBackend | undefined } = {},
): StackPlan {
  const databaseUrl = url(
    env,
    'DATABASE_URL',
    ['postgresql:', 'postgres:'],
    'postgresql://user:password@host:5432/phaseline',
  );
  const redisUrl = url(env, 'REDIS_URL', ['redis:', 'rediss:'], 'redis://host:6379');
  const named = set(env, 'QUEUE_BACKEND');
  if (named !== undefined && named !== 'postgres' && named !== 'redis') {
    throw new BadEnvironment(`QUEUE_BACKEND is "${named}"; expected "postgres" or "redis".`);
  }
  return {
    databaseUrl,
    queue: options.queue ?? named ?? (redisUrl === undefined ? 'postgres' : 'redis'),
    redisUrl,
    model: planModel(env),
  };
}

function planModel(env: NodeJS.ProcessEnv): ModelPlan {
  const baseUrl = url(env, 'OPENAI_BASE_URL', ['http:', 'https:'], 'http://127.0.0.1:8080/v1');
  if (baseUrl === undefined && set(env, 'OPENAI_API_KEY') === undefined) return { kind: 'rehearsal' };
  return { kind: 'server', baseUrl: baseUrl ?? OPENAI, model: set(env, 'PHASELINE_MODEL') };
}

/** Set to nothing counts as not set, as in the services. */
function set(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function url(env: NodeJS.ProcessEnv, name: string, protocols: readonly string[], example: string): string | undefined {
  const value = set(env, name);
  if (value === undefined || (URL.canParse(value) && protocols.includes(new URL(value).protocol))) return value;
  // The value may hold a password, so it is not repeated.
  throw new BadEnvironment(`${name} is not a URL that can be used. Expected something like ${example}.`);
}
