import { z } from 'zod';
import { withoutSecrets } from '../environment/fill-references.js';
import { ToolError } from '../tool-error.js';
import { download } from './download.js';
import type { AddressRule } from './guarded-request.js';

/** Where `web_search` asks. Both may be set; `provider` then chooses. */
export interface SearchConfig {
  readonly provider?: 'tavily' | 'searxng' | undefined;
  readonly tavilyApiKey?: string | undefined;
  /** `https://api.tavily.com` unless told otherwise. */
  readonly tavilyUrl?: string | undefined;
  /** A SearXNG that gives out JSON (`search.formats` of its settings). */
  readonly searxngUrl?: string | undefined;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchAnswer {
  readonly provider: string;
  /** Of the answer, without keys. */
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hits: readonly SearchHit[];
}

const MAX_BYTES = 2 * 1024 * 1024;
/** The operator named the server, so it may be anywhere. */
const anywhere: AddressRule = { allowed: 'any' };
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const answerSchema = z.object({ results: z.array(z.object({ title: text, url: text, content: text })) });

/** Asks the configured search engine. Throws ToolError `search_not_configured`, `bad_answer` and what `download` throws. */
export async function askProvider(
  config: SearchConfig,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const provider = config.provider ?? (config.tavilyApiKey ? 'tavily' : config.searxngUrl ? 'searxng' : undefined);
  if (provider === 'tavily' && config.tavilyApiKey) return askTavily(config, config.tavilyApiKey, query, count, signal);
  if (provider === 'searxng' && config.searxngUrl) return askSearxng(config.searxngUrl, query, count, signal);
  throw new ToolError(
    'search_not_configured',
    'web_search is not set up here: an operator has to set TAVILY_API_KEY or SEARXNG_URL for tool-runner. Use fetch_url with addresses you know.',
  );
}

async function askTavily(
  config: SearchConfig,
  key: string,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const url = new URL('/search', config.tavilyUrl ?? 'https://api.tavily.com').href;
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, max_results: count }),
    signal,
  };
  const bytes = await ask('Tavily', url, request, { TAVILY_API_KEY: key });
  return { provider: 'tavily', url, bytes, hits: hitsOf('Tavily', bytes, count) };
}

async function askSearxng(base: string, query: string, count: number, signal: AbortSignal): Promise<SearchAnswer> {
  const url = new URL('search', base.endsWith('/') ? base : `${base}/`);
  url.searchParams.set('q', query);
  url.searchParams.set('format', 'json');
  const bytes = await ask('SearXNG', url.href, { headers: { accept: 'application/json' }, signal }, {});
  return { provider: 'searxng', url: url.href, bytes, hits: hitsOf('SearXNG', bytes, count) };
}

async function ask(
  name: string,
  url: string,
  request: Parameters<typeof download>[3],
  secrets: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  try {
    return (await download(url, anywhere, MAX_BYTES, request)).bytes;
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    const message = withoutSecrets(cause.message, secrets);
    throw new ToolError(cause.code, `${name}: ${message}`, { retryable: cause.retryable });
  }
}

function hitsOf(name: string, bytes: Uint8Array, count: number): readonly SearchHit[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    value = undefined;
  }
  const answer = answerSchema.safeParse(value);
  if (!answer.success)
    throw new ToolError(
      'bad_answer',
      `${name} did not answer with results in JSON. An operator has to look at its settings.`,
    );
  return answer.data.results
    .filter(({ url }) => /^https?:\/\//.test(url))
    .slice(0, count)
    .map(({ title, url, content }) => ({ title: oneLine(title) || url, url, snippet: oneLine(content) }));
}

function oneLine(value: string): string {
  return value.replace(/\s+/g, ' ').trim().slice(0, 2_000);
}
