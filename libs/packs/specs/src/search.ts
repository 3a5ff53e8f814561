import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tools that search and fetch from the web. */
export const searchSpec = declarePack('search', {
  web_search: {
    lane: 'remote',
    description:
      'Searches the web and returns titles, addresses and excerpts; they are kept as a source in sources/. Get a page itself with fetch_url before you rely on it.',
    input: z.strictObject({
      query: z.string().trim().min(1).max(400).describe('What to look for, as words for a search engine.'),
      max_results: z.int().min(1).max(20).default(5),
    }),
    effect: 'idempotent',
    timeoutMs: 30_000,
  },
  fetch_url: {
    lane: 'remote',
    description:
      'Gets a page, text, PDF or DOCX from the public internet and keeps its text as a source in sources/. Returns the beginning; read the file for the rest, and cite it with cite_web.',
    input: z.strictObject({
      url: z.string().min(1).max(2_000).describe('The address of the page or document, with https:// or http://.'),
    }),
    effect: 'idempotent',
    timeoutMs: 60_000,
  },
});
