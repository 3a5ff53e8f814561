import type OpenAI from 'openai';
import { ModelError } from '../model-error.js';
import { httpFetch } from './http-fetch.js';
import { loadOpenAi } from './openai-package.js';

export interface EndpointOptions {
  /** Base URL of the API, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** API key. Absent or empty for servers that need none. */
  readonly apiKey?: string | undefined;
  /** Replaces the transport below the `openai` package. */
  readonly fetch?: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

/** A server and how error messages name it. */
export interface Endpoint {
  /** Returns the client of the server, the same one for every call. */
  openClient(): Promise<OpenAI>;
  /** Host and port, for error messages. Other parts of the URL may contain secrets. */
  readonly host: string;
  readonly hasKey: boolean;
  /** Replaces the API key in a text, in case a server repeated it. */
  redact(text: string): string;
}

/**
 * Validates the options of a server. Its client is created by the first call.
 *
 * @throws {ModelError} `bad_request` if the base URL is invalid, `unauthorized` if the key is malformed.
 */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const url = parseBaseUrl(options.baseUrl);
  const key = (options.apiKey ?? '').trim();
  // Checked here because a later error about the invalid header would quote the key.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw new ModelError(
      'unauthorized',
      'OPENAI_API_KEY contains characters that an API key cannot have, such as a space or a line break: copy the key again',
    );
  }
  let client: Promise<OpenAI> | undefined;
  const createClient = async (): Promise<OpenAI> => {
    const { default: Client } = await loadOpenAi();
    return new Client({
      baseURL: url.href,
      // The package requires a key; if there is none, its header is removed below.
      apiKey: key === '' ? 'none' : key,
      ...(key === '' ? { defaultHeaders: { Authorization: null } } : {}),
      adminAPIKey: null,
      organization: null,
      project: null,
      // Retries are handled in retry.ts, which also covers broken streams.
      maxRetries: 0,
      logLevel: 'off',
      fetch: options.fetch ?? httpFetch,
    });
  };
  return {
    openClient: () => (client ??= createClient()),
    host: url.host,
    hasKey: key !== '',
    redact: (text) => (key.length < 4 ? text : text.replaceAll(key, '[API key]')),
  };
}

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ModelError(
      'bad_request',
      `OPENAI_BASE_URL must be the URL of an OpenAI-compatible API, for example http://127.0.0.1:8080/v1`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ModelError(
      'bad_request',
      `OPENAI_BASE_URL must not contain a user name or password: use the setting for the API key instead`,
    );
  }
  return url;
}
