import { vectorsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { getVectorIndexStats, indexFileForSearch } from './index-tools.js';
import { semanticSearch } from './semantic-search.js';
import type { VectorsHost } from './vectors-host.js';

/** Creates the pack for semantic search over the files of a job. */
export function createVectorsPack(host: VectorsHost): ToolPack {
  return implementPack(vectorsSpec, {
    semantic_search: semanticSearch(host),
    index_file_for_search: indexFileForSearch(host),
    get_vector_index_stats: getVectorIndexStats(host),
  });
}
