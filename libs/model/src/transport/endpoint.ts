import OpenAI from 'openai';
import { ModelError } from '../model-error.js';
import { httpFetch } from './http-fetch.js';

export interface EndpointOptions {
  /** Where the API lies, as in `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** Absent or empty for servers that want none. */
  readonly apiKey?: string | undefined;
  /** What messages call the setting that holds the key. */
  readonly apiKeyVariable?: string;
  /** What messages call the setting that holds the base URL. */
  readonly baseUrlVariable?: string;
  /** Replaces the transport below the `openai` package. */
  readonly fetch?: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

/** A server to talk to, and the words for telling somebody about it. */
export interface Endpoint {
  readonly client: OpenAI;
  /** Host and port, which is what messages name: the rest of a URL may hold secrets. */
  readonly host: string;
  readonly hasKey: boolean;
  readonly apiKeyVariable: string;
  readonly baseUrlVariable: string;
  /** The text without the API key, should a server have repeated it. */
  redact(text: string): string;
}

/**
 * @throws {ModelError} `bad_request` when the base URL is none, `unauthorized` when the key cannot be one.
 */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { apiKeyVariable = 'OPENAI_API_KEY', baseUrlVariable = 'OPENAI_BASE_URL' } = options;
  const url = parseBaseUrl(options.baseUrl, baseUrlVariable);
  const key = (options.apiKey ?? '').trim();
  // Checked here because the message of whoever meets such a header later would quote it.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw new ModelError(
      'unauthorized',
      `${apiKeyVariable} holds characters that no API key has, such as a blank or a line break: copy the key again`,
    );
  }
  const client = new OpenAI({
    baseURL: url.href,
    // The package insists on a key; without one, its header is taken out again.
    apiKey: key === '' ? 'none' : key,
    ...(key === '' ? { defaultHeaders: { Authorization: null } } : {}),
    adminAPIKey: null,
    organization: null,
    project: null,
    // Attempts are counted in one place, and a stream that breaks needs them as well: see retry.ts.
    maxRetries: 0,
    logLevel: 'off',
    fetch: options.fetch ?? httpFetch,
  });
  return {
    client,
    host: url.host,
    hasKey: key !== '',
    apiKeyVariable,
    baseUrlVariable,
    redact: (text) => (key.length < 4 ? text : text.replaceAll(key, '[API key]')),
  };
}

function parseBaseUrl(text: string, variable: string): URL {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ModelError(
      'bad_request',
      `${variable} must be the URL of an OpenAI-compatible API, as in http://127.0.0.1:8080/v1`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ModelError(
      'bad_request',
      `${variable} must not hold a user or password: put the key into the setting for the API key`,
    );
  }
  return url;
}
