import { searchSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { storeSource } from '@phaseline/documents';
import { querySearchProvider, type SearchConfig } from './search-provider.js';

export function webSearch(config: SearchConfig): ToolRun<typeof searchSpec, 'web_search'> {
  return async ({ signal }, { query, max_results }) => {
    const { provider, url, bytes, hits } = await querySearchProvider(config, query, max_results, signal);
    if (hits.length === 0) return { content: `No results for ${JSON.stringify(query)}. Try other words.` };
    const text = hits.map((hit) => `## ${hit.title}\n\n${hit.url}\n\n${hit.snippet}\n`).join('\n');
    const finding = {
      url,
      title: `Search: ${query}`,
      tool: `web_search ${provider}`,
      retrievedAt: new Date().toISOString(),
      contentType: 'application/json',
      bytes,
      text,
    };
    return {
      content: '',
      rebase: async (workspace) => {
        const { source, files } = await storeSource(workspace, finding);
        const head = `Source ${source.number}: ${hits.length} results for ${JSON.stringify(query)}, stored in ${source.file}.`;
        return { content: `${head}\n\n${text}`, files };
      },
    };
  };
}
