import { fileURLToPath } from 'node:url';
import { parseDefinitionPath } from '@phaseline/definitions';
import {
  embeddingFields,
  flag,
  list,
  milliseconds,
  sandboxFields,
  serviceConfig,
  urlOf,
  wholeNumber,
} from '@phaseline/service';
import { z } from 'zod';
import { cleaningFields } from './retention/cleaning-config.js';
import { checkOpenId, openIdFields } from './sign-in/open-id/open-id-config.js';

/** Returns a folder at the root of the repository; works from both `src` and `dist`. */
function repositoryFolder(name: string): string {
  return fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
}

function folders(what: string): z.ZodDefault<z.ZodString> {
  return z
    .string()
    .default('')
    .describe(
      `folders of ${what} in addition to the shipped ones, separated by ":"; of two with the same name, the one in the later folder applies`,
    );
}

/** Used by the workers; here they are only needed to read model profiles that contain them. */
const modelVariable = z.string().optional().describe('a value for the model profiles');

const tenantLimit = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=\d{1,6}$/);

function parseLimit(limit: string): readonly [string, number] {
  const [tenant = '', phases = ''] = limit.split('=', 2);
  return [tenant, Number(phases)];
}

/** Settings of the orchestrator, in addition to those of every service. */
export const orchestratorConfigSchema = serviceConfig(7070, {
  /** With https, the cookies of sessions are sent over https only. */
  PHASELINE_PUBLIC_URL: urlOf('the URL at which people reach this service, such as https://phaseline.example.org', [
    'http:',
    'https:',
  ]).optional(),
  ...openIdFields,
  /**
   * Redis does not tell who sent a message, and neither does the login of a service. Logins of producers on PostgreSQL are principals
   * themselves.
   */
  PHASELINE_QUEUE_PRINCIPAL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the principal for whom messages on the queue "jobs" are that no login of a producer sent; without it, they are refused where callers need keys',
    ),
  PHASELINE_AGENTS_DIR: folders('agents'),
  PHASELINE_WORKFLOWS_DIR: folders('workflows'),
  PHASELINE_MODELS_DIR: folders('model profiles'),
  PHASELINE_GUARDS_DIR: folders('guards of the installation'),
  PHASELINE_SHIPPED_DEFINITIONS: flag('whether the shipped agents, workflows and model profiles are available', true),
  PHASELINE_MODEL: modelVariable,
  PHASELINE_CONTEXT_TOKENS: modelVariable,
  PHASELINE_PRICE_INPUT_USD_PER_MILLION: modelVariable,
  PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION: modelVariable,
  PHASELINE_PRICE_OUTPUT_USD_PER_MILLION: modelVariable,
  /** Networks outside the public internet in which MCP servers of agents may be reached. */
  PHASELINE_ALLOWED_PRIVATE_NETWORKS: list(
    'private networks that tools may reach, such as 10.1.0.0/16',
    z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/),
  ),
  /** MCP servers are started to list their tools. */
  ...sandboxFields,
  ...embeddingFields,
  PHASELINE_CONCURRENT_DECISIONS: wholeNumber('the number of jobs to decide concurrently', {
    min: 1,
    max: 200,
    default: 8,
  }),
  /** Documents pass through in pieces, so this limits disk usage and time, not memory. */
  PHASELINE_MAX_DOCUMENT_BYTES: wholeNumber('the maximum size of a document in a form, in bytes', {
    min: 1,
    max: 64 * 1024 ** 3,
    default: 256 * 1024 ** 2,
  }),
  /** Per kind, over all tenants. Unset: as many as the live workers can run. */
  PHASELINE_MAX_RUNNING_PHASES: z.coerce
    .number<string>()
    .int()
    .min(1)
    .optional()
    .describe('the maximum number of running phases per kind: a whole number'),
  /**
   * Above 1, workers stay busy while phases wait for tools, but tenants do not take turns for the phases that wait in the
   * queues.
   */
  PHASELINE_OVERCOMMIT_FACTOR: z.coerce
    .number<string>()
    .min(0.1)
    .max(100)
    .default(1)
    .describe(
      'the number of running phases per phase that the live workers can run concurrently: a number from 0.1 to 100',
    ),
  PHASELINE_MAX_PHASES_PER_TENANT: z.coerce
    .number<string>()
    .int()
    .min(0)
    .optional()
    .describe('the maximum number of running phases per tenant: a whole number'),
  PHASELINE_TENANT_LIMITS: list('limits of tenants, such as acme=4,beta=16', tenantLimit)
    .transform((limits) => Object.fromEntries(limits.map(parseLimit)))
    .describe('limits of tenants, such as acme=4,beta=16'),
  /** Without it the log is not anchored. `phaseline up` creates one in PHASELINE_HOME. */
  PHASELINE_AUDIT_KEY_FILE: z.string().min(1).optional().describe('the file of an Ed25519 private key (PEM)'),
  PHASELINE_AUDIT_RECEIPTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the folder to which a receipt of every anchor is appended; choose one where administrators of the database cannot write',
    ),
  PHASELINE_AUDIT_ANCHOR_INTERVAL_MS: milliseconds('how often the log is anchored while it changes', 300_000, 100),
  /** Tenants without a setting keep everything, so a run removes nothing unless an administrator said so. */
  PHASELINE_RETENTION_INTERVAL_MS: milliseconds(
    'how often files of ended jobs are removed whose time is over, and events are moved to cold storage, or 0 for only on request',
    24 * 60 * 60 * 1_000,
    0,
  ),
  /** Services should not have the right to drop events, so only the mover of one service uses this login. */
  PHASELINE_ARCHIVIST_URL: urlOf(
    'the URL of the database with a login that is a member of phaseline_service and phaseline_archivist, which may move events to cold storage',
    ['postgresql:', 'postgres:'],
  ).optional(),
  ...cleaningFields,
  PHASELINE_RECONCILE_INTERVAL_MS: milliseconds(
    'how often the log is searched for work that no queue holds',
    2_000,
    50,
  ),
  PHASELINE_QUARANTINE_AFTER_FAILURES: wholeNumber(
    'the number of identical failures after which a job is quarantined',
    {
      min: 1,
      max: 1_000,
      default: 5,
    },
  ),
  /** Each dead letter has used up all attempts of its message, so a few are enough. */
  PHASELINE_QUARANTINE_AFTER_DEAD_LETTERS: wholeNumber(
    'the number of dead letters of one message after which its job is quarantined',
    {
      min: 1,
      max: 1_000,
      default: 3,
    },
  ),
  /** A shorter time finds lost messages sooner; if it is too short, slow streams are checked in vain. */
  PHASELINE_RECONCILE_IDLE_MS: milliseconds('how long a stream must be quiet before it is checked', 2_000, 50),
}).superRefine(checkOpenId);

export type OrchestratorConfig = z.output<typeof orchestratorConfigSchema>;

/** Returns the folders of definitions. */
export function definitionFolders(config: OrchestratorConfig): {
  readonly agentsDir: readonly string[];
  readonly workflowsDir: readonly string[];
  readonly modelsDir: readonly string[];
  readonly guardsDir: readonly string[];
} {
  const shipped = (name: string) => (config.PHASELINE_SHIPPED_DEFINITIONS ? repositoryFolder(name) : undefined);
  return {
    agentsDir: parseDefinitionPath(config.PHASELINE_AGENTS_DIR, shipped('agents')),
    workflowsDir: parseDefinitionPath(config.PHASELINE_WORKFLOWS_DIR, shipped('workflows')),
    modelsDir: parseDefinitionPath(config.PHASELINE_MODELS_DIR, shipped('models')),
    guardsDir: parseDefinitionPath(config.PHASELINE_GUARDS_DIR, shipped('guards')),
  };
}

/** Returns the variables that `${NAME}` in a model profile may refer to, the same as in the workers. */
export function definitionVariables(config: OrchestratorConfig): Readonly<Record<string, string | undefined>> {
  const {
    PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_OUTPUT_USD_PER_MILLION,
  } = config;
  return {
    PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_OUTPUT_USD_PER_MILLION,
  };
}
