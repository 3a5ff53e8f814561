export type { Embedder } from './embed/embedder.js';
export { HttpEmbedder, type HttpEmbedderSettings } from './embed/http-embedder.js';
export { LocalEmbedder } from './embed/local-embedder.js';
export { vectorsPack } from './tools/vectors-pack.js';
export type { VectorsHost } from './tools/vectors-host.js';
