import { fileURLToPath } from 'node:url';
import { definitionPath } from '@phaseline/definitions';
import { flag, serviceConfig, urlOf, wholeNumber } from '@phaseline/service';
import { z } from 'zod';

const shippedModels = fileURLToPath(new URL('../../../models', import.meta.url));

/** What a phase worker reads from its environment beside what every service knows. */
export function workerConfig(defaultPort: number) {
  return serviceConfig(
    defaultPort,
    {
      /** Phases at once in this process; each mostly waits for its model. */
      PHASELINE_PHASES: wholeNumber('the number of phases to work on at once', { min: 1, max: 1_000, default: 32 }),
      PHASELINE_MODELS_DIR: z
        .string()
        .default('')
        .describe(
          'folders of model profiles upon the shipped ones, with ":" between them; of two with one name that in the later folder counts',
        ),
      PHASELINE_SHIPPED_DEFINITIONS: flag('whether the shipped agents, workflows and model profiles can be used', true),
      /** The profile that is meant where an agent names `default`. */
      PHASELINE_PROFILE: z
        .string()
        .default('default')
        .describe('the name of the model profile that an agent means by `default`'),
      OPENAI_BASE_URL: urlOf('the base URL of an OpenAI-compatible server, such as https://host/v1', [
        'http:',
        'https:',
      ]).default('https://api.openai.com/v1'),
      OPENAI_API_KEY: z.string().default('').describe('the key of that server'),
      PHASELINE_MODEL: z
        .string()
        .optional()
        .describe('what the server calls the model, for ${PHASELINE_MODEL} in model profiles'),
      PHASELINE_CONTEXT_TOKENS: z
        .string()
        .optional()
        .describe('how much fits into one call of the model: a number of tokens'),
      PHASELINE_PRICE_INPUT: z.string().optional().describe('the price of input, in USD per million tokens'),
      PHASELINE_PRICE_CACHED_INPUT: z
        .string()
        .optional()
        .describe('the price of cached input, in USD per million tokens'),
      PHASELINE_PRICE_OUTPUT: z.string().optional().describe('the price of output, in USD per million tokens'),
    },
    { servesApi: false },
  );
}

export type WorkerConfig = z.output<ReturnType<typeof workerConfig>>;

/** Where model profiles lie. */
export function modelFolders(config: WorkerConfig): readonly string[] {
  return definitionPath(config.PHASELINE_MODELS_DIR, config.PHASELINE_SHIPPED_DEFINITIONS ? shippedModels : undefined);
}
