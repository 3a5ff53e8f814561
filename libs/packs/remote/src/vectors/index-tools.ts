import { vectorsSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { describeRemoval, readFileStates, indexFiles, MAX_CHUNKS } from './chunks/index-files.js';
import { openIndex, type VectorsHost } from './vectors-host.js';

const INDEXING_TIMEOUT_MS = 150_000;
/** Maximum number of files listed by name. */
const MAX_LISTED_FILES = 30;

export function indexFileForSearch(host: VectorsHost): ToolRun<typeof vectorsSpec, 'index_file_for_search'> {
  return async (context, { path }) => {
    const { store, embedder, scope } = await openIndex(host, context);
    const states = (await readFileStates(store, scope, context)).filter((file) => file.path === path);
    if (states.length === 0)
      throw new ToolError('file_missing', `There is no file '${path}' in the workspace. List the files and try again.`);
    const [file] = await indexFiles(store, embedder, scope, context, states, performance.now() + INDEXING_TIMEOUT_MS);
    if (file?.skipReason !== undefined) return { content: `${path} is not searched: ${file.skipReason}.` };
    if (file?.chunks === undefined)
      throw new ToolError(
        'not_finished',
        `${path} is too large to index in one call. The progress is stored; call again to continue.`,
        {
          retryable: true,
        },
      );
    return { content: `${path} is indexed: ${file.chunks} passages.` };
  };
}

export function getVectorIndexStats(host: VectorsHost): ToolRun<typeof vectorsSpec, 'get_vector_index_stats'> {
  return async (context) => {
    const { store, embedder, scope } = await openIndex(host, context);
    const states = await readFileStates(store, scope, context);
    const indexed = states.filter(({ chunks, skipReason }) => chunks !== undefined && skipReason === undefined);
    const skipped = states.filter((file) => file.skipReason !== undefined);
    const notIndexed = states.filter(({ chunks }) => chunks === undefined);
    const listFiles = (files: readonly { path: string; skipReason: string | undefined }[]): string[] => [
      ...files
        .slice(0, MAX_LISTED_FILES)
        .map((file) => `- ${file.path}${file.skipReason === undefined ? '' : ` (${file.skipReason})`}`),
      ...(files.length > MAX_LISTED_FILES ? [`[… ${files.length - MAX_LISTED_FILES} more …]`] : []),
    ];
    const chunks = indexed.reduce((sum, file) => sum + (file.chunks ?? 0), 0);
    return {
      content: [
        `Indexed: ${indexed.length} of ${states.length} files, ${chunks} passages of at most ${MAX_CHUNKS}.`,
        `Embedding: ${embedder.space}. ${embedder.note}`,
        ...(await describeRemoval(store, scope, states)),
        ...(notIndexed.length > 0
          ? [`Not yet indexed (the next search will index them): ${notIndexed.length}`, ...listFiles(notIndexed)]
          : []),
        ...(skipped.length > 0 ? [`Skipped: ${skipped.length}`, ...listFiles(skipped)] : []),
      ].join('\n'),
    };
  };
}
