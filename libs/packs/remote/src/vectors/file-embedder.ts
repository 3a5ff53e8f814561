import { ToolError } from '@phaseline/contracts';
import {
  EmbeddingsUnavailable,
  HttpEmbedder,
  LocalEmbedder,
  type EmbeddingSettings,
  type Embedder,
} from '@phaseline/embeddings';

/** A call of a tool has time, and the batches that were embedded before are stored. */
const RETRIES = { maxAttempts: 5, backoff: { firstMs: 500, maxMs: 20_000 } };

/** Creates the embedder of the files of jobs: that of a server, or without one that of this machine. Throws ToolError if the server fails. */
export function createFileEmbedder(settings: EmbeddingSettings | undefined): Embedder {
  if (settings === undefined) return new LocalEmbedder();
  const server = new HttpEmbedder(settings, RETRIES);
  return {
    space: server.space,
    note: server.note,
    embed: async (texts, signal) => {
      try {
        return await server.embed(texts, signal);
      } catch (error) {
        throw error instanceof EmbeddingsUnavailable ? toToolError(error) : error;
      }
    },
  };
}

function toToolError(error: EmbeddingsUnavailable): ToolError {
  const reason = error.excerpt === '' ? error.message : `${error.message}: ${error.excerpt}`;
  return new ToolError(
    'embeddings_unavailable',
    `There are no embeddings, because ${reason}. Use search_files instead.`,
    // Retries are used up; another call is worthwhile only for a temporary failure.
    { retryable: error.isTemporary, cause: error },
  );
}
