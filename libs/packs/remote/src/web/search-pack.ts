import type { ToolPack } from '@phaseline/tools';
import { parseNetworks, type Resolve } from '@phaseline/sandbox';
import { fetchUrl } from './fetch-url.js';
import type { SearchConfig } from './search-provider.js';
import { webSearch } from './web-search.js';

export interface SearchPackOptions extends SearchConfig {
  /** Non-public networks in CIDR notation from which pages may be fetched. Default: none. */
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: Resolve;
}

/** Tools that search and fetch from the web. Options are needed only where the tools are run. Throws for an invalid network. */
export function searchPack(options: SearchPackOptions = {}): ToolPack {
  const { allowedNetworks = [], resolve, ...config } = options;
  const rule = { allowed: parseNetworks(allowedNetworks), ...(resolve ? { resolve } : {}) };
  return { name: 'search', tools: [webSearch(config), fetchUrl(rule)] };
}
