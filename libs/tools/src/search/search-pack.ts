import type { ToolPack } from '../tool.js';
import { networks } from './addresses.js';
import { fetchUrl } from './fetch-url.js';
import type { Resolve } from './guarded-request.js';
import type { SearchConfig } from './search-provider.js';
import { webSearch } from './web-search.js';

export interface SearchPackOptions extends SearchConfig {
  /** Networks in CIDR notation that pages may be fetched from although they are not public; none by default. */
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: Resolve;
}

/** The web. A process that only offers the tools and does not run them needs no options. Throws for a network that is none. */
export function searchPack(options: SearchPackOptions = {}): ToolPack {
  const { allowedNetworks = [], resolve, ...config } = options;
  const rule = { allowed: networks(allowedNetworks), ...(resolve ? { resolve } : {}) };
  return { name: 'search', tools: [webSearch(config), fetchUrl(rule)] };
}
