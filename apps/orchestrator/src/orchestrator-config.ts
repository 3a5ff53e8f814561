import { fileURLToPath } from 'node:url';
import { definitionPath } from '@phaseline/definitions';
import { flag, list, milliseconds, serviceConfig, wholeNumber } from '@phaseline/service';
import { z } from 'zod';

/** A folder at the root of the repository; seen from `src` and from `dist` alike. */
function repositoryFolder(name: string): string {
  return fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
}

function folders(what: string): z.ZodDefault<z.ZodString> {
  return z
    .string()
    .default('')
    .describe(
      `folders of ${what} upon the shipped ones, with ":" between them; of two with one name that in the later folder counts`,
    );
}

/** Their meaning is the workers' business; here they only make the model profiles readable that use them. */
const modelVariable = z.string().optional().describe('a value for the model profiles');

const tenantLimit = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=\d{1,6}$/);

function parsedLimit(limit: string): readonly [string, number] {
  const [tenant = '', phases = ''] = limit.split('=', 2);
  return [tenant, Number(phases)];
}

/** What the orchestrator takes from its environment beside what every service does. */
export const orchestratorConfigSchema = serviceConfig(7070, {
  PHASELINE_AGENTS_DIR: folders('agents'),
  PHASELINE_WORKFLOWS_DIR: folders('workflows'),
  PHASELINE_MODELS_DIR: folders('model profiles'),
  PHASELINE_SHIPPED_DEFINITIONS: flag('whether the shipped agents, workflows and model profiles can be used', true),
  PHASELINE_MODEL: modelVariable,
  PHASELINE_CONTEXT_TOKENS: modelVariable,
  PHASELINE_PRICE_INPUT: modelVariable,
  PHASELINE_PRICE_CACHED_INPUT: modelVariable,
  PHASELINE_PRICE_OUTPUT: modelVariable,
  /** MCP servers of agents are reached there although they are not on the public internet. */
  PHASELINE_ALLOWED_NETWORKS: list('networks such as 10.1.0.0/16', z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/)),
  PHASELINE_CONTROL_CONCURRENCY: wholeNumber('how many jobs are decided side by side', {
    min: 1,
    max: 200,
    default: 8,
  }),
  /** They pass through in pieces, so the bound is for disks and patience, not for memory. */
  PHASELINE_MAX_DOCUMENT_BYTES: wholeNumber('the size of the largest document that is taken in a form, in bytes', {
    min: 1,
    max: 64 * 1024 ** 3,
    default: 256 * 1024 ** 2,
  }),
  /** Of each kind, over all tenants. Unset: as many as the workers that live have places. */
  PHASELINE_ACTIVE_PHASES: z.coerce
    .number<string>()
    .int()
    .min(1)
    .optional()
    .describe('how many phases of a kind may be under way at once: a whole number'),
  /** More than 1 keeps workers busy while phases wait for tools; but tenants do not take turns in the queues where the rest waits. */
  PHASELINE_WINDOW_FACTOR: z.coerce
    .number<string>()
    .min(0.1)
    .max(100)
    .default(1)
    .describe('phases under way for each place of a worker: a number from 0.1 to 100'),
  PHASELINE_TENANT_PHASES: z.coerce
    .number<string>()
    .int()
    .min(0)
    .optional()
    .describe('how many phases of a tenant may be under way at once: a whole number'),
  PHASELINE_TENANT_LIMITS: list('limits of tenants, such as acme=4,beta=16', tenantLimit)
    .transform((limits) => Object.fromEntries(limits.map(parsedLimit)))
    .describe('limits of tenants, such as acme=4,beta=16'),
  /** Without it the log is not sealed. `phaseline up` makes one in PHASELINE_HOME. */
  PHASELINE_AUDIT_KEY: z.string().min(1).optional().describe('the file of an Ed25519 private key (PEM)'),
  PHASELINE_AUDIT_RECEIPTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a folder that a receipt of every seal is appended to; put it where administrators of the database cannot write',
    ),
  PHASELINE_SEAL_INTERVAL_MS: milliseconds('how often the log is sealed when something changed', 300_000, 100),
  PHASELINE_RECONCILE_INTERVAL_MS: milliseconds(
    'how often the log is searched for work that no queue knows of',
    2_000,
    50,
  ),
  PHASELINE_SET_ASIDE_AFTER: wholeNumber('identical failures after which a job is set aside', {
    min: 1,
    max: 1_000,
    default: 5,
  }),
  /** Each has used up all attempts of its message, so few are enough. */
  PHASELINE_SET_ASIDE_LETTERS: wholeNumber('dead letters of one message after which its job is set aside', {
    min: 1,
    max: 1_000,
    default: 3,
  }),
  /** Shorter than the interval finds lost messages sooner; too short looks at streams that are only slow. */
  PHASELINE_RECONCILE_IDLE_MS: milliseconds('how long a stream must be quiet before it is looked at', 2_000, 50),
});

export type OrchestratorConfig = z.output<typeof orchestratorConfigSchema>;

/** Where definitions lie. */
export function definitionFolders(config: OrchestratorConfig): {
  readonly agentsDir: readonly string[];
  readonly workflowsDir: readonly string[];
  readonly modelsDir: readonly string[];
} {
  const shipped = (name: string) => (config.PHASELINE_SHIPPED_DEFINITIONS ? repositoryFolder(name) : undefined);
  return {
    agentsDir: definitionPath(config.PHASELINE_AGENTS_DIR, shipped('agents')),
    workflowsDir: definitionPath(config.PHASELINE_WORKFLOWS_DIR, shipped('workflows')),
    modelsDir: definitionPath(config.PHASELINE_MODELS_DIR, shipped('models')),
  };
}

/** What `${NAME}` in a model profile may stand for: the same as in the workers. */
export function definitionVariables(config: OrchestratorConfig): Readonly<Record<string, string | undefined>> {
  const {
    PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT,
    PHASELINE_PRICE_CACHED_INPUT,
    PHASELINE_PRICE_OUTPUT,
  } = config;
  return {
    PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT,
    PHASELINE_PRICE_CACHED_INPUT,
    PHASELINE_PRICE_OUTPUT,
  };
}
