import { z } from 'zod';
import { urlOf } from './fields.js';

/** Settings of the services that compare texts by their embeddings. */
export const embeddingFields = {
  PHASELINE_EMBEDDINGS_URL: urlOf(
    'the base URL of a server that computes embeddings of learning traces and of the files that agents search, with an OpenAI-compatible API, such as http://127.0.0.1:8080/v1; without it, both are searched by words alone',
    ['http:', 'https:'],
  ).optional(),
  PHASELINE_EMBEDDINGS_MODEL: z
    .string()
    .min(1)
    .default('text-embedding-3-small')
    .describe('the model of embeddings; with another one, everything is embedded again'),
  PHASELINE_EMBEDDINGS_API_KEY: z.string().min(1).optional().describe('the key of the server of embeddings'),
  PHASELINE_EMBEDDINGS_DIMENSIONS: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(8_192)
    .optional()
    .describe(
      'the number of dimensions of an embedding, for models that allow a choice: a whole number from 1 to 8192; with another one, everything is embedded again',
    ),
};

type EmbeddingConfig = z.output<z.ZodObject<typeof embeddingFields>>;

/** Returns the settings in the form that `HttpEmbedder` takes; undefined without a server. */
export function toEmbeddingSettings(config: EmbeddingConfig) {
  const url = config.PHASELINE_EMBEDDINGS_URL;
  if (url === undefined) return undefined;
  return {
    url,
    model: config.PHASELINE_EMBEDDINGS_MODEL,
    apiKey: config.PHASELINE_EMBEDDINGS_API_KEY,
    dimensions: config.PHASELINE_EMBEDDINGS_DIMENSIONS,
  };
}
