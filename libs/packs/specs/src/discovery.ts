import { SEARCH_TOOLS } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tool that finds on-demand tools. */
export const discoverySpec = declarePack('discovery', {
  [SEARCH_TOOLS]: {
    lane: 'inline',
    description:
      'Searches the tools that are not in your list by what they do, and adds the best matches to your list for the rest of the phase. Describe in a few words what the tool should do. If the right tool is not found, search again within one of the categories that the result lists.',
    traits: ['not_nestable', 'bookkeeping'],
    input: z.object({
      query: z.string().min(1).max(500).describe('What the tool should do, such as: create an issue on github'),
      category: z.string().max(100).optional().describe('Searches only the tools of this category'),
      limit: z.int().min(1).max(20).default(5).describe('Maximum number of tools to add'),
    }),
  },
});
