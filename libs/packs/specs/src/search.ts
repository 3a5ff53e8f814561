import { searchDepths } from '@phaseline/contracts';
import { z } from 'zod';
import { describeValue } from './describe-value.js';
import { declareDomainPack } from './declare-pack.js';

/** Number of results if neither the agent nor the model says one. */
export const DEFAULT_SEARCH_RESULTS = 5;

/** Tools that search and fetch from the web. */
export const searchSpec = declareDomainPack('search', {
  web_search: {
    lane: 'remote',
    description:
      'Searches the web and returns titles, URLs and excerpts, which are stored as a source in sources/. Fetch a page with fetch_url before you rely on it.',
    input: z.strictObject({
      query: z.string().trim().min(1).max(400).describe('Search terms, as for a search engine.'),
      max_results: z.int().min(1).max(20).optional().describe('Maximum number of results.'),
      depth: z
        .enum(searchDepths)
        .optional()
        .describe("How thoroughly to search. An agent may allow 'advanced', which costs more."),
    }),
    effect: 'idempotent',
    timeoutMs: 30_000,
    adjust: ({ search = {} }) => ({
      note: `${describeValue('max_results', search.maxResults, DEFAULT_SEARCH_RESULTS, 'lower')} The search is ${search.depth ?? 'basic'}${search.depth === 'advanced' ? "; depth may be 'basic'" : ''}.`,
    }),
  },
  fetch_url: {
    lane: 'remote',
    description:
      'Fetches a web page, text, PDF or DOCX from the public internet and stores its text as a source in sources/. Returns the beginning. Read the file for the rest, and cite it with cite_web.',
    input: z.strictObject({
      url: z.string().min(1).max(2_000).describe('URL of the page or document, beginning with https:// or http://.'),
    }),
    effect: 'idempotent',
    timeoutMs: 60_000,
  },
});
