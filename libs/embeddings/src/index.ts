export type { Embedder } from './embedder.js';
export { EmbeddingsUnavailable } from './embeddings-unavailable.js';
export { HttpEmbedder, type EmbeddingSettings } from './http-embedder.js';
export { LocalEmbedder } from './local-embedder.js';
