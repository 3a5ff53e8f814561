import { toSingleLine } from '@phaseline/basics';
import { z } from 'zod';
import { ToolError, type SearchDepth } from '@phaseline/contracts';
import { SecretMask } from '@phaseline/basics/secrets';
import { download } from './download.js';
import type { AddressRule } from '@phaseline/sandbox';

/** Configuration of the search engine for `web_search`. If both are configured, `provider` chooses; Tavily is the default. */
export interface SearchConfig {
  readonly provider?: 'tavily' | 'searxng' | undefined;
  readonly tavilyApiKey?: string | undefined;
  /** Default: `https://api.tavily.com`. */
  readonly tavilyUrl?: string | undefined;
  /** Address of a SearXNG instance with JSON enabled (`search.formats` in its settings). */
  readonly searxngUrl?: string | undefined;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchQuery {
  readonly query: string;
  readonly count: number;
  /** Sent only to engines that know it. */
  readonly depth?: SearchDepth | undefined;
}

export interface SearchResponse {
  readonly provider: string;
  /** Address of the request, without keys. */
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hits: readonly SearchHit[];
}

const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** An operator configured the server, so its address is not restricted. */
const anyAddress: AddressRule = { allowed: 'any' };
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const responseSchema = z.object({ results: z.array(z.object({ title: text, url: text, content: text })) });

/** Queries the configured search engine. Throws ToolError `search_not_configured`, `bad_response` and what `download` throws. */
export async function querySearchProvider(
  config: SearchConfig,
  search: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResponse> {
  const provider = config.provider ?? (config.tavilyApiKey ? 'tavily' : config.searxngUrl ? 'searxng' : undefined);
  if (provider === 'tavily' && config.tavilyApiKey) return queryTavily(config, config.tavilyApiKey, search, signal);
  if (provider === 'searxng' && config.searxngUrl) return querySearxng(config.searxngUrl, search, signal);
  throw new ToolError(
    'search_not_configured',
    'web_search is not configured: an operator must set TAVILY_API_KEY or SEARXNG_URL for tool-runner. Use fetch_url with known URLs.',
  );
}

async function queryTavily(
  config: SearchConfig,
  key: string,
  { query, count, depth }: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResponse> {
  const url = new URL('/search', config.tavilyUrl ?? 'https://api.tavily.com').href;
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, max_results: count, ...(depth ? { search_depth: depth } : {}) }),
    signal,
  };
  const bytes = await sendQuery('Tavily', url, request, { TAVILY_API_KEY: key });
  return { provider: 'tavily', url, bytes, hits: parseHits('Tavily', bytes, count) };
}

async function querySearxng(base: string, { query, count }: SearchQuery, signal: AbortSignal): Promise<SearchResponse> {
  const url = new URL('search', base.endsWith('/') ? base : `${base}/`);
  url.searchParams.set('q', query);
  url.searchParams.set('format', 'json');
  const bytes = await sendQuery('SearXNG', url.href, { headers: { accept: 'application/json' }, signal }, {});
  return { provider: 'searxng', url: url.href, bytes, hits: parseHits('SearXNG', bytes, count) };
}

async function sendQuery(
  name: string,
  url: string,
  request: Parameters<typeof download>[3],
  secrets: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  try {
    return (await download(url, anyAddress, MAX_RESPONSE_BYTES, request)).bytes;
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    const message = new SecretMask(secrets).maskText(cause.message);
    throw new ToolError(cause.code, `${name}: ${message}`, { retryable: cause.retryable });
  }
}

function parseHits(name: string, bytes: Uint8Array, count: number): readonly SearchHit[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    value = undefined;
  }
  const response = responseSchema.safeParse(value);
  if (!response.success)
    throw new ToolError('bad_response', `${name} did not return results as JSON. An operator must check its settings.`);
  return response.data.results
    .filter(({ url }) => /^https?:\/\//.test(url))
    .slice(0, count)
    .map(({ title, url, content }) => ({ title: toOneLine(title) || url, url, snippet: toOneLine(content) }));
}

function toOneLine(value: string): string {
  return toSingleLine(value).slice(0, 2_000);
}
