import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tools for semantic search over the files of a job. */
export const vectorsSpec = declarePack('vectors', {
  semantic_search: {
    lane: 'remote',
    description:
      'Finds the passages of your files that are most like a question, best first, with file and lines. Every text file is searched as it is now. For exact words use search_files.',
    input: z.strictObject({
      query: z.string().min(1).max(2_000).describe('What you look for, as a sentence or some words.'),
      limit: z.int().min(1).max(50).default(8),
      folder: z.string().min(1).max(500).optional().describe("Only files whose path begins so, such as 'documents/'."),
    }),
    effect: 'idempotent',
    timeoutMs: 180_000,
  },
  index_file_for_search: {
    lane: 'remote',
    description:
      'Puts one file into the index of semantic_search now. Searches do that by themselves; use it for a large file that they left out.',
    input: z.strictObject({ path: z.string().min(1).max(500) }),
    effect: 'idempotent',
    timeoutMs: 180_000,
  },
  get_vector_index_stats: {
    lane: 'remote',
    description: 'Says how many of your files semantic_search has indexed, which it has not, and by what it compares.',
    input: z.strictObject({}),
    effect: 'pure',
    timeoutMs: 30_000,
  },
});
