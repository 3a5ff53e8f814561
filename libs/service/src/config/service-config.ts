import { z } from 'zod';
import { isApiKey } from '../http/api-keys.js';
import { isLoopback } from '../http/loopback.js';
import { flag, list, milliseconds, urlOf, wholeNumber } from './fields.js';

function commonFields(defaultPort: number) {
  return {
    DATABASE_URL: urlOf('the URL of a PostgreSQL 18 database, such as postgresql://user:password@host:5432/phaseline', [
      'postgresql:',
      'postgres:',
    ]),
    /** Connections to the database a process may hold. On the PostgreSQL backend each worker pins one, and a pool that is too small hangs. */
    PHASELINE_DATABASE_POOL: wholeNumber('the number of database connections', { min: 4, max: 200, default: 16 }),
    PHASELINE_DATABASE_WAIT_MS: milliseconds('how long to wait for the database at start', 30_000),
    QUEUE_BACKEND: z.enum(['redis', 'postgres']).optional().describe('"redis" or "postgres"'),
    REDIS_URL: urlOf('the URL of a Redis, such as redis://host:6379', ['redis:', 'rediss:']).optional(),
    PHASELINE_REDIS_CLUSTER: flag('whether REDIS_URL names a node of a Redis Cluster', false),
    /** Producers in other services must use the same. */
    PHASELINE_REDIS_PREFIX: z.string().optional().describe('what every key in Redis begins with'),
    PHASELINE_HOST: z.string().default('127.0.0.1').describe('an address of this machine'),
    PORT: wholeNumber('the HTTP port', { min: 0, max: 65_535, default: defaultPort }),
    /** Idempotency keys are told apart by the name of the API key, so a key that is replaced keeps its name. */
    PHASELINE_API_KEYS: list(
      'API keys of at least 16 characters without blanks, each with a name, such as alice=0123456789abcdef (the names "local" and "queue" are taken)',
      z.string().refine(isApiKey),
    ),
    PHASELINE_ALLOWED_HOSTS: list('host names by which callers reach this service'),
    PHASELINE_ALLOWED_ORIGINS: list(
      'origins of web pages that may call this service, such as https://console.example.org',
      z.string().regex(/^https?:\/\/[^/]+$/),
    ),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('info')
      .describe('one of trace, debug, info, warn, error, fatal, silent'),
    PHASELINE_SHUTDOWN_TIMEOUT_MS: milliseconds('how long a shutdown may take', 10_000, 100),
    PHASELINE_PARENT_WATCH: flag('whether to end when standard input ends', false),
    /** Work that shows no progress for so long makes the service unready; model calls and tools have patience of their own. */
    PHASELINE_STALL_LIMIT_MS: milliseconds('how long held work may show no progress', 60_000, 100),
    /** Leases are lost after 7 s without a heartbeat. */
    PHASELINE_BLOCKED_LIMIT_MS: milliseconds('how long the event loop may be blocked', 3_000, 50),
    PHASELINE_HEALTH_INTERVAL_MS: milliseconds('how often the service asks itself whether it is ready', 10_000, 50),
    /** For encrypted jobs; the same in every service. Without it they are refused. `phaseline up` makes one in PHASELINE_HOME. */
    PHASELINE_MASTER_KEY_FILE: z
      .string()
      .optional()
      .describe('a file of master keys: 32 bytes in base64 a line, the newest first'),
    /** The same, given at once. */
    PHASELINE_MASTER_KEY: z
      .string()
      .optional()
      .describe('master keys: 32 bytes in base64 each, with commas between them'),
    /** Folder under which tool-runner mirrors the files of each job. */
    WORKSPACE_ROOT: z
      .string()
      .default('.phaseline/workspaces')
      .describe('the folder under which tool-runner mirrors the files of each job'),
  };
}

interface ServiceConfigOptions {
  /** Whether the service answers more than probes and metrics. One that does not reads no API keys. */
  readonly servesApi?: boolean;
}

/**
 * The schema of an app's environment: the fields of every service, and the app's own fields. Checks across fields are done here: Redis
 * needs its URL, and a service that serves an API beyond this machine needs API keys.
 */
export function serviceConfig<Own extends z.core.$ZodLooseShape>(
  defaultPort: number,
  own: Own,
  { servesApi = true }: ServiceConfigOptions = {},
) {
  return z
    .object({ ...knownFields(defaultPort, servesApi), ...own })
    .superRefine((config: unknown, context) => {
      const { QUEUE_BACKEND, REDIS_URL, PHASELINE_HOST, PHASELINE_API_KEYS } = config as CommonFields;
      if (QUEUE_BACKEND === 'redis' && REDIS_URL === undefined) {
        context.addIssue({
          code: 'custom',
          path: ['REDIS_URL'],
          message: 'is missing; QUEUE_BACKEND=redis needs the URL of a Redis, such as redis://host:6379',
        });
      }
      if (servesApi && !isLoopback(PHASELINE_HOST) && PHASELINE_API_KEYS.length === 0) {
        context.addIssue({
          code: 'custom',
          path: ['PHASELINE_API_KEYS'],
          message: `is missing; to listen on ${PHASELINE_HOST}, which other machines can reach, set keys that callers must send, or set PHASELINE_HOST=127.0.0.1`,
        });
      }
    })
    .transform((config) => ({
      PHASELINE_API_KEYS: [],
      ...config,
      QUEUE_BACKEND: backendOf(config as unknown as CommonFields),
    }));
}

function knownFields(defaultPort: number, servesApi: boolean): ReturnType<typeof commonFields> {
  const { PHASELINE_API_KEYS, ...others } = commonFields(defaultPort);
  // Without the field the keys are not even read. The transform adds an empty list, so that the type is the same for every service.
  return (servesApi ? { ...others, PHASELINE_API_KEYS } : others) as ReturnType<typeof commonFields>;
}

type CommonFields = z.output<z.ZodObject<ReturnType<typeof commonFields>>>;

/** What every service's config has, after parsing. */
export type CommonConfig = Omit<CommonFields, 'QUEUE_BACKEND'> & { QUEUE_BACKEND: 'redis' | 'postgres' };

function backendOf({ QUEUE_BACKEND, REDIS_URL }: CommonFields): 'redis' | 'postgres' {
  return QUEUE_BACKEND ?? (REDIS_URL === undefined ? 'postgres' : 'redis');
}
