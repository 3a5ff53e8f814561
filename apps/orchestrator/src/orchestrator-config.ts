import { fileURLToPath } from 'node:url';
import { milliseconds, serviceConfig, wholeNumber } from '@phaseline/service';
import { z } from 'zod';

/** A folder at the root of the repository; seen from `src` and from `dist` alike. */
function repositoryFolder(name: string): string {
  return fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
}

function folder(name: string): z.ZodDefault<z.ZodString> {
  return z.string().default(repositoryFolder(name)).describe(`the folder of the ${name}`);
}

/** Their meaning is the workers' business; here they only make the model profiles readable that use them. */
const modelVariable = z.string().optional().describe('a value for the model profiles');

/** What the orchestrator takes from its environment beside what every service does. */
export const orchestratorConfigSchema = serviceConfig(7070, {
  PHASELINE_AGENTS_DIR: folder('agents'),
  PHASELINE_WORKFLOWS_DIR: folder('workflows'),
  PHASELINE_MODELS_DIR: folder('models'),
  PHASELINE_MODEL: modelVariable,
  PHASELINE_CONTEXT_TOKENS: modelVariable,
  PHASELINE_PRICE_INPUT: modelVariable,
  PHASELINE_PRICE_CACHED_INPUT: modelVariable,
  PHASELINE_PRICE_OUTPUT: modelVariable,
  PHASELINE_CONTROL_CONCURRENCY: wholeNumber('how many jobs are decided side by side', {
    min: 1,
    max: 200,
    default: 8,
  }),
  PHASELINE_RECONCILE_INTERVAL_MS: milliseconds(
    'how often the log is searched for work that no queue knows of',
    2_000,
    50,
  ),
  /** Shorter than the interval finds lost messages sooner; too short looks at streams that are only slow. */
  PHASELINE_RECONCILE_IDLE_MS: milliseconds('how long a stream must be quiet before it is looked at', 2_000, 50),
});

export type OrchestratorConfig = z.output<typeof orchestratorConfigSchema>;

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
