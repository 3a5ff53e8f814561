import { openColdStorage } from '@phaseline/event-store';
import { z } from 'zod';
import { isApiKey } from '../http/api-keys.js';
import { flag, list, milliseconds, urlOf, wholeNumber } from './fields.js';

function commonFields(defaultPort: number) {
  return {
    DATABASE_URL: urlOf('the URL of a PostgreSQL 18 database, such as postgresql://user:password@host:5432/phaseline', [
      'postgresql:',
      'postgres:',
    ]),
    /** Maximum number of database connections of the service's pool. The queues on PostgreSQL use a separate pool. */
    PHASELINE_DATABASE_POOL_SIZE: wholeNumber('the number of database connections', { min: 4, max: 200, default: 16 }),
    PHASELINE_DATABASE_WAIT_MS: milliseconds('maximum time to wait for the database at start', 30_000),
    PHASELINE_QUEUE_BACKEND: z.enum(['redis', 'postgres']).optional().describe('"redis" or "postgres"'),
    REDIS_URL: urlOf('the URL of a Redis server, such as redis://host:6379', ['redis:', 'rediss:']).optional(),
    PHASELINE_REDIS_CLUSTER: flag('whether REDIS_URL is a node of a Redis Cluster', false),
    /** Producers in other services must use the same prefix. */
    PHASELINE_REDIS_PREFIX: z.string().optional().describe('the prefix of every key in Redis'),
    PHASELINE_HOST: z.string().default('127.0.0.1').describe('an address of this machine'),
    PORT: wholeNumber('the HTTP port', { min: 0, max: 65_535, default: defaultPort }),
    /** Idempotency keys are scoped to the name of the API key, so a replaced key must keep its name. */
    PHASELINE_API_KEYS: list(
      'API keys of at least 16 characters without blanks, each with a name, such as alice=0123456789abcdef (the names "local", "queue" and "openid-connect" are reserved)',
      z.string().refine(isApiKey),
    ),
    PHASELINE_ALLOWED_HOSTS: list('host names under which callers reach this service'),
    PHASELINE_ALLOWED_ORIGINS: list(
      'origins of web pages that may call this service, such as https://console.example.org',
      z.string().regex(/^https?:\/\/[^/]+$/),
    ),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('info')
      .describe('one of trace, debug, info, warn, error, fatal, silent'),
    PHASELINE_SHUTDOWN_TIMEOUT_MS: milliseconds('maximum duration of a shutdown', 10_000, 100),
    PHASELINE_STOP_ON_STDIN_END: flag('whether to stop when standard input ends', false),
    /** Work without progress for this time makes the service unready. Model calls and tools have their own limits. */
    PHASELINE_STALL_LIMIT_MS: milliseconds('maximum time that work may make no progress', 60_000, 100),
    /** Leases are lost after 7 s without a heartbeat. */
    PHASELINE_EVENT_LOOP_BLOCK_LIMIT_MS: milliseconds('maximum time that the event loop may be blocked', 3_000, 50),
    PHASELINE_HEALTH_INTERVAL_MS: milliseconds('interval of the readiness checks', 10_000, 50),
    /** Needed for encrypted jobs, and the same in every service. Without it they are refused. `phaseline up` creates one in PHASELINE_HOME. */
    PHASELINE_MASTER_KEY_FILE: z
      .string()
      .optional()
      .describe('a file of master keys: 32 bytes in base64 per line, the newest first'),
    /** The master keys themselves, instead of a file. */
    PHASELINE_MASTER_KEY: z.string().optional().describe('master keys: 32 bytes in base64 each, separated by commas'),
    /** Needed once jobs were moved to cold storage, and the same archives in every service. */
    PHASELINE_COLD_STORAGE: z
      .string()
      .min(1)
      .optional()
      .describe('where the archives of jobs in cold storage are: a folder, or s3://bucket/prefix'),
    /** Of a storage s3://. Not the names of Amazon's tools, because settings of agents may refer to those. */
    PHASELINE_COLD_STORAGE_ENDPOINT: urlOf(
      'the URL of the S3-compatible service of PHASELINE_COLD_STORAGE; default: that of Amazon',
      ['http:', 'https:'],
    ).optional(),
    PHASELINE_COLD_STORAGE_REGION: z.string().optional().describe('the region of the bucket, such as eu-central-1'),
    PHASELINE_COLD_STORAGE_KEY_ID: z
      .string()
      .optional()
      .describe('the id of an access key that may read the bucket; the orchestrator also writes to it'),
    PHASELINE_COLD_STORAGE_SECRET_KEY: z.string().optional().describe('the secret of that access key'),
    PHASELINE_COLD_STORAGE_SESSION_TOKEN: z.string().optional().describe('the token of a temporary access key'),
    PHASELINE_WORKSPACES_DIR: z
      .string()
      .default('.phaseline/workspaces')
      .describe('the folder in which tool-runner mirrors the files of each job'),
    /** Switches telemetry on. The names are those of the OpenTelemetry specification. */
    OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(
      'the URL of a collector that receives traces over OTLP/HTTP, such as http://collector:4318; without it, none are sent',
      ['http:', 'https:'],
    ).optional(),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .optional()
      .describe('headers of the requests to the collector, such as authorization=Bearer%20key, separated by commas'),
    OTEL_RESOURCE_ATTRIBUTES: z
      .string()
      .optional()
      .describe('attributes of all spans, such as deployment.environment.name=production, separated by commas'),
    OTEL_BSP_MAX_QUEUE_SIZE: wholeNumber('the number of spans to keep until they are sent; more are dropped', {
      min: 1,
      max: 1_000_000,
      default: 8_192,
    }),
    OTEL_BSP_SCHEDULE_DELAY: milliseconds('time from the first span of a batch until it is sent', 5_000),
    PHASELINE_TELEMETRY_CONTENT: flag(
      'whether spans contain the messages of models, and the arguments and results of tool calls',
      false,
    ),
    PHASELINE_TELEMETRY_MODEL_TRACEPARENT: flag('whether requests to model servers contain traceparent', false),
  };
}

interface ServiceConfigOptions {
  /** Whether the service serves more than probes and metrics. If not, it reads no API keys. Default true. */
  readonly servesApi?: boolean;
}

/**
 * Creates the schema of an app's environment: the fields of every service plus the app's own. Also checks that the
 * Redis backend has a URL, and that the cold storage can be opened.
 */
export function serviceConfig<Own extends z.core.$ZodLooseShape>(
  defaultPort: number,
  own: Own,
  { servesApi = true }: ServiceConfigOptions = {},
) {
  return z
    .object({ ...knownFields(defaultPort, servesApi), ...own })
    .superRefine((config: unknown, context) => {
      const { PHASELINE_QUEUE_BACKEND, REDIS_URL } = config as CommonFields;
      if (PHASELINE_QUEUE_BACKEND === 'redis' && REDIS_URL === undefined) {
        context.addIssue({
          code: 'custom',
          path: ['REDIS_URL'],
          message:
            'is missing; PHASELINE_QUEUE_BACKEND=redis needs the URL of a Redis server, such as redis://host:6379',
        });
      }
      try {
        openColdStorage(config as CommonFields);
      } catch (error) {
        context.addIssue({ code: 'custom', path: ['PHASELINE_COLD_STORAGE'], message: (error as Error).message });
      }
    })
    .transform((config) => ({
      PHASELINE_API_KEYS: [],
      ...config,
      // Every service config has the common fields, which generic code cannot see.
      PHASELINE_QUEUE_BACKEND: selectBackend(config as unknown as CommonFields),
    }));
}

function knownFields(defaultPort: number, servesApi: boolean): ReturnType<typeof commonFields> {
  const { PHASELINE_API_KEYS, ...others } = commonFields(defaultPort);
  // Without the field the keys are not read. The transform adds an empty list, so that every service has the same type.
  return (servesApi ? { ...others, PHASELINE_API_KEYS } : others) as ReturnType<typeof commonFields>;
}

type CommonFields = z.output<z.ZodObject<ReturnType<typeof commonFields>>>;

/** The parsed settings that every service has. */
export type CommonConfig = Omit<CommonFields, 'PHASELINE_QUEUE_BACKEND'> & {
  PHASELINE_QUEUE_BACKEND: 'redis' | 'postgres';
};

function selectBackend({ PHASELINE_QUEUE_BACKEND, REDIS_URL }: CommonFields): 'redis' | 'postgres' {
  return PHASELINE_QUEUE_BACKEND ?? (REDIS_URL === undefined ? 'postgres' : 'redis');
}
