import { DEFAULT_SEARCH_RESULTS, type searchSpec } from '@phaseline/pack-specs';
import { searchDepths, type SearchDepth } from '@phaseline/contracts';
import { narrowArgument, type ToolRun } from '@phaseline/tools';
import { storeSource } from '@phaseline/documents';
import { foldCopies } from '../fold-copies.js';
import { querySearchProvider, type SearchConfig, type SearchHit } from './search-provider.js';

export function webSearch(config: SearchConfig): ToolRun<typeof searchSpec, 'web_search'> {
  return async ({ signal, settings }, { query, max_results: asked, depth: askedDepth }) => {
    const { value: count, note } = narrowArgument({
      name: 'max_results',
      asked,
      limit: settings?.search?.maxResults,
      fallback: DEFAULT_SEARCH_RESULTS,
      stricter: 'lower',
    });
    const depth = chooseDepth(askedDepth, settings?.search?.depth);
    const { provider, url, bytes, hits } = await querySearchProvider(config, { query, count, depth }, signal);
    if (hits.length === 0) return { content: `No results for ${JSON.stringify(query)}. Try other words.` };
    const folded = foldCopies(hits, { place: ({ url: at }) => normaliseAddress(at), text: ({ snippet }) => snippet });
    const text = folded.map(({ first, copies }) => formatHit(first, copies)).join('\n');
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
        const head = `Source ${source.number}: ${folded.length} results for ${JSON.stringify(query)}, stored in ${source.file}.`;
        return { content: [head, ...note, '', text].join('\n'), files };
      },
    };
  };
}

/** The deepest search that the agent allows, or a shallower one that the model asks for. Nothing is sent without a setting. */
function chooseDepth(asked: SearchDepth | undefined, limit: SearchDepth | undefined): SearchDepth | undefined {
  if (limit === undefined || asked === undefined) return limit;
  return searchDepths[Math.min(searchDepths.indexOf(asked), searchDepths.indexOf(limit))];
}

function formatHit({ title, url, snippet }: SearchHit, copies: readonly SearchHit[]): string {
  const also = copies.length === 0 ? '' : `\nalso at ${copies.map((copy) => copy.url).join(', ')}\n`;
  return `## ${title}\n\n${url}\n${also}\n${snippet}\n`;
}

/** Addresses of one page that differ only in their notation or in parameters for statistics. */
function normaliseAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  for (const name of [...url.searchParams.keys()])
    if (/^(?:utm_\w+|fbclid|gclid|msclkid|mc_[ce]id)$/.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  return `${url.hostname.replace(/^www\./, '')}${url.pathname.replace(/(?:\/index\.html?)?\/?$/, '')}${url.search}`;
}
