import { searchSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { parseNetworks, type Resolve } from '@phaseline/sandbox';
import { fetchUrl } from './fetch-url.js';
import type { SearchConfig } from './search-provider.js';
import { webSearch } from './web-search.js';

export interface SearchPackOptions extends SearchConfig {
  /** Non-public networks in CIDR notation from which pages may be fetched. Default: none. */
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: Resolve;
}

/** Tools that search and fetch from the web. Throws for an invalid network. */
export function createSearchPack(options: SearchPackOptions = {}): ToolPack {
  const { allowedNetworks = [], resolve, ...config } = options;
  const rule = { allowed: parseNetworks(allowedNetworks), ...(resolve ? { resolve } : {}) };
  return implementPack(searchSpec, { web_search: webSearch(config), fetch_url: fetchUrl(rule) });
}
