import { z } from 'zod';
import { declareDomainPack } from './declare-pack.js';

/** Tools for semantic search over the files of a job. */
export const vectorsSpec = declareDomainPack('vectors', {
  semantic_search: {
    lane: 'remote',
    description:
      'Finds the passages in the workspace that are most similar to a question, best first, with file and lines. It searches the current content of every text file. For exact text, use search_files.',
    input: z.strictObject({
      query: z.string().min(1).max(2_000).describe('What to look for, as a sentence or a few words.'),
      limit: z.int().min(1).max(50).default(8),
      folder: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe("Searches only files whose path begins with this prefix, such as 'documents/'."),
    }),
    effect: 'idempotent',
    timeoutMs: 180_000,
  },
  index_file_for_search: {
    lane: 'remote',
    description:
      'Adds one file to the index of semantic_search. Searches index files automatically; use this tool for a large file that they skipped.',
    input: z.strictObject({ path: z.string().min(1).max(500) }),
    effect: 'idempotent',
    timeoutMs: 180_000,
  },
  get_vector_index_stats: {
    lane: 'remote',
    description:
      'Reports how many files semantic_search has indexed, which ones it has not, and how it compares texts.',
    input: z.strictObject({}),
    effect: 'pure',
    timeoutMs: 30_000,
  },
});
