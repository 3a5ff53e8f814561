import { z } from 'zod';
import { urlOf } from './fields.js';

/** Settings of the services that search learning traces by the similarity of embeddings. */
export const embeddingFields = {
  PHASELINE_EMBEDDINGS_URL: urlOf(
    'the base URL of a server that computes embeddings of learning traces, with an OpenAI-compatible API, such as http://127.0.0.1:8080/v1; without it, they are searched by words alone',
    ['http:', 'https:'],
  ).optional(),
  PHASELINE_EMBEDDINGS_MODEL: z
    .string()
    .min(1)
    .default('text-embedding-3-small')
    .describe('the model of embeddings; with another one, all learning traces are embedded again'),
  PHASELINE_EMBEDDINGS_API_KEY: z.string().min(1).optional().describe('the key of the server of embeddings'),
};

type EmbeddingConfig = z.output<z.ZodObject<typeof embeddingFields>>;

/** Returns the settings in the form that `EmbeddingServer` takes; undefined without a server. */
export function toEmbeddingSettings(config: EmbeddingConfig) {
  const url = config.PHASELINE_EMBEDDINGS_URL;
  if (url === undefined) return undefined;
  return { url, model: config.PHASELINE_EMBEDDINGS_MODEL, apiKey: config.PHASELINE_EMBEDDINGS_API_KEY };
}
