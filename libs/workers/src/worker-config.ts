import { fileURLToPath } from 'node:url';
import { parseDefinitionPath } from '@phaseline/definitions';
import { flag, serviceConfig, urlOf, wholeNumber } from '@phaseline/service';
import { z } from 'zod';

const shippedModels = fileURLToPath(new URL('../../../models', import.meta.url));

/** Settings of a phase worker, in addition to those of every service. */
export function workerConfig(defaultPort: number) {
  return serviceConfig(
    defaultPort,
    {
      /** Number of phases to run concurrently in this process; most of the time, a phase waits for its model. */
      PHASELINE_CONCURRENT_PHASES: wholeNumber('the number of phases to run concurrently', {
        min: 1,
        max: 1_000,
        default: 32,
      }),
      PHASELINE_MODELS_DIR: z
        .string()
        .default('')
        .describe(
          'folders of model profiles in addition to the shipped ones, separated by ":"; of two profiles with the same name, the one in the later folder applies',
        ),
      PHASELINE_SHIPPED_DEFINITIONS: flag(
        'whether the shipped agents, workflows and model profiles are available',
        true,
      ),
      /** Profile to use when an agent names `default`. */
      PHASELINE_DEFAULT_MODEL_PROFILE: z
        .string()
        .default('default')
        .describe('the name of the model profile that `default` in an agent refers to'),
      OPENAI_BASE_URL: urlOf('the base URL of an OpenAI-compatible server, such as https://host/v1', [
        'http:',
        'https:',
      ]).default('https://api.openai.com/v1'),
      OPENAI_API_KEY: z.string().default('').describe('API key of the model server'),
      PHASELINE_MODEL: z
        .string()
        .optional()
        .describe('the name of the model on the server, for ${PHASELINE_MODEL} in model profiles'),
      PHASELINE_CONTEXT_TOKENS: z.string().optional().describe('the context size of the model, in tokens'),
      PHASELINE_PRICE_INPUT_USD_PER_MILLION: z
        .string()
        .optional()
        .describe('the price of input, in USD per million tokens'),
      PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION: z
        .string()
        .optional()
        .describe('the price of cached input, in USD per million tokens'),
      PHASELINE_PRICE_OUTPUT_USD_PER_MILLION: z
        .string()
        .optional()
        .describe('the price of output, in USD per million tokens'),
    },
    { servesApi: false },
  );
}

export type WorkerConfig = z.output<ReturnType<typeof workerConfig>>;

/** Returns the folders of model profiles. */
export function modelFolders(config: WorkerConfig): readonly string[] {
  return parseDefinitionPath(
    config.PHASELINE_MODELS_DIR,
    config.PHASELINE_SHIPPED_DEFINITIONS ? shippedModels : undefined,
  );
}
