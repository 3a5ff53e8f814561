import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { readFileStates, indexFiles, MAX_CHUNKS } from './chunks/index-files.js';
import { openIndex, type VectorsHost } from './vectors-host.js';

const INDEXING_TIMEOUT_MS = 150_000;
/** Maximum number of files listed by name. */
const MAX_LISTED_FILES = 30;

const input = z.strictObject({ path: z.string().min(1).max(500) });

export function indexFileForSearch(host: VectorsHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof input>>({
    name: 'index_file_for_search',
    description:
      'Puts one file into the index of semantic_search now. Searches do that by themselves; use it for a large file that they left out.',
    input,
    effect: 'idempotent',
    timeoutMs: 180_000,
    async run(context, { path }) {
      const { store, embedder, scope } = await openIndex(host, context);
      const states = (await readFileStates(store, scope, context)).filter((file) => file.path === path);
      if (states.length === 0)
        throw new ToolError(
          'file_missing',
          `There is no file '${path}' in the workspace. List the files and try again.`,
        );
      const [file] = await indexFiles(store, embedder, scope, context, states, performance.now() + INDEXING_TIMEOUT_MS);
      if (file?.skipped !== undefined) return { content: `${path} is not searched: ${file.skipped}.` };
      if (file?.chunks === undefined)
        throw new ToolError('not_finished', `${path} was too much for one call. What is done is kept; try again.`, {
          retryable: true,
        });
      return { content: `${path} is indexed: ${file.chunks} passages.` };
    },
  });
}

const noInput = z.strictObject({});

export function getVectorIndexStats(host: VectorsHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof noInput>>({
    name: 'get_vector_index_stats',
    description: 'Says how many of your files semantic_search has indexed, which it has not, and by what it compares.',
    input: noInput,
    effect: 'pure',
    timeoutMs: 30_000,
    async run(context) {
      const { store, embedder, scope } = await openIndex(host, context);
      const states = await readFileStates(store, scope, context);
      const indexed = states.filter(({ chunks, skipped }) => chunks !== undefined && skipped === undefined);
      const skipped = states.filter((file) => file.skipped !== undefined);
      const notIndexed = states.filter(({ chunks }) => chunks === undefined);
      const listFiles = (files: readonly { path: string; skipped: string | undefined }[]): string[] => [
        ...files
          .slice(0, MAX_LISTED_FILES)
          .map((file) => `- ${file.path}${file.skipped === undefined ? '' : ` (${file.skipped})`}`),
        ...(files.length > MAX_LISTED_FILES ? [`[… ${files.length - MAX_LISTED_FILES} more …]`] : []),
      ];
      const chunks = indexed.reduce((sum, file) => sum + (file.chunks ?? 0), 0);
      return {
        content: [
          `Indexed: ${indexed.length} of ${states.length} files, ${chunks} passages of at most ${MAX_CHUNKS}.`,
          `Compared by: ${embedder.space}. ${embedder.note}`,
          ...(notIndexed.length > 0
            ? [`Not yet (the next search does it): ${notIndexed.length}`, ...listFiles(notIndexed)]
            : []),
          ...(skipped.length > 0 ? [`Left out: ${skipped.length}`, ...listFiles(skipped)] : []),
        ].join('\n'),
      };
    },
  });
}
