import { z } from 'zod';
import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { storeSource } from '@phaseline/documents';
import { querySearchProvider, type SearchConfig } from './search-provider.js';

const input = z.strictObject({
  query: z.string().trim().min(1).max(400).describe('What to look for, as words for a search engine.'),
  max_results: z.int().min(1).max(20).default(5),
});

export function webSearch(config: SearchConfig): RemoteTool {
  return defineRemoteTool<z.infer<typeof input>>({
    name: 'web_search',
    description:
      'Searches the web and returns titles, addresses and excerpts; they are kept as a source in sources/. Get a page itself with fetch_url before you rely on it.',
    input,
    effect: 'idempotent',
    timeoutMs: 30_000,
    async run({ signal }, { query, max_results }) {
      const { provider, url, bytes, hits } = await querySearchProvider(config, query, max_results, signal);
      if (hits.length === 0) return { content: `Nothing was found for ${JSON.stringify(query)}. Try other words.` };
      const text = hits.map((hit) => `## ${hit.title}\n\n${hit.url}\n\n${hit.snippet}\n`).join('\n');
      const finding = {
        url,
        title: `Search: ${query}`,
        via: `web_search ${provider}`,
        retrievedAt: new Date().toISOString(),
        contentType: 'application/json',
        bytes,
        text,
      };
      return {
        content: '',
        rebase: async (workspace) => {
          const { source, files } = await storeSource(workspace, finding);
          const head = `Source ${source.n}: ${hits.length} results for ${JSON.stringify(query)}, kept in ${source.file}.`;
          return { content: `${head}\n\n${text}`, files };
        },
      };
    },
  });
}
