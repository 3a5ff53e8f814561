import { fileURLToPath } from 'node:url';
import { serviceConfig, urlOf, wholeNumber } from '@phaseline/service';
import { z } from 'zod';

const shippedModels = fileURLToPath(new URL('../../../models', import.meta.url));

/** What a phase worker reads from its environment beside what every service knows. */
export function workerConfig(defaultPort: number) {
  return serviceConfig(defaultPort, {
    /** Phases at once in this process; each mostly waits for its model. */
    PHASELINE_PHASES: wholeNumber('the number of phases to work on at once', { min: 1, max: 1_000, default: 32 }),
    PHASELINE_MODELS_DIR: z.string().default(shippedModels).describe('the folder with the model profiles'),
    /** The profile that is meant where an agent names `default`. */
    PHASELINE_PROFILE: z.string().default('default').describe('the name of a model profile'),
    OPENAI_BASE_URL: urlOf('the base URL of an OpenAI-compatible server, such as https://host/v1', [
      'http:',
      'https:',
    ]).default('https://api.openai.com/v1'),
    OPENAI_API_KEY: z.string().default('').describe('the key of that server'),
    PHASELINE_MODEL: z.string().optional().describe('what the server calls the model'),
    PHASELINE_CONTEXT_TOKENS: z.string().optional().describe('a number of tokens'),
    PHASELINE_PRICE_INPUT: z.string().optional().describe('USD per million tokens'),
    PHASELINE_PRICE_CACHED_INPUT: z.string().optional().describe('USD per million tokens'),
    PHASELINE_PRICE_OUTPUT: z.string().optional().describe('USD per million tokens'),
  });
}

export type WorkerConfig = z.output<ReturnType<typeof workerConfig>>;
