import type { ToolPack } from '@phaseline/tools';
import { getVectorIndexStats, indexFileForSearch } from './index-tools.js';
import { semanticSearch } from './semantic-search.js';
import type { VectorsHost } from './vectors-host.js';

/** Creates the pack for semantic search over the files of a job. Without a host, it only describes its tools. */
export function createVectorsPack(host?: VectorsHost): ToolPack {
  return { name: 'vectors', tools: [semanticSearch(host), indexFileForSearch(host), getVectorIndexStats(host)] };
}
