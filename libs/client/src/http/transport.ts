import type { z } from 'zod';
import { problemSchema } from '../problem/problem.js';
import {
  createErrorFromProblem,
  PhaselineClientError,
  RequestTimedOut,
  ServerUnreachable,
  UnexpectedResponse,
} from './client-errors.js';
import { backoffMs, pause } from './pause.js';
import { AUTHORIZATION_SCHEME, CALLER_TIMEOUT_HEADER } from './routes.js';

/** The part of `fetch` that the client uses, so that a substitute is easy to write. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Id of the principal for whom the owner of the key acts. */
  readonly onBehalfOf?: string | undefined;
  readonly fetch?: FetchLike | undefined;
  /** Maximum number of retries of a repeatable request. */
  readonly retries: number;
  /** Timeout of one attempt, including reading the response. */
  readonly timeoutMs: number;
  /** Milliseconds to wait before retry number `retry`, starting at 0. */
  readonly backoff?: ((retry: number) => number) | undefined;
}

type QueryValue = string | number | readonly string[] | undefined;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may be retried. False if it is not idempotent. */
  readonly isRepeatable: boolean;
  /** Overrides the client's timeout, for a request that takes longer because of its size. */
  readonly timeoutMs?: number;
  /** Whether to send the timeout to the server, so that it does not act after the caller has stopped waiting. */
  readonly sendsTimeout?: boolean;
}

/** Statuses of a busy or restarting server, after which a retry may succeed. */
const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];
const MAX_RETRY_AFTER_MS = 30_000;

/** Sends requests to one server. Handles authorisation, timeouts, retries and the mapping of problems to errors. */
export class Transport {
  readonly baseUrl: string;
  private readonly fetch: FetchLike;

  /** Throws TypeError if the base URL is not valid. */
  constructor(private readonly options: TransportOptions) {
    this.baseUrl = parseBaseUrl(options.baseUrl);
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  /** Sends a request and parses the JSON response. Throws a PhaselineClientError, or the signal's reason. */
  json<Schema extends z.ZodType>(request: ApiRequest, schema: Schema): Promise<z.output<Schema>> {
    const title = `${request.method} ${request.path}`;
    return this.send({ ...request, headers: { accept: 'application/json', ...request.headers } }, async (response) => {
      const body = parseJson(await response.text());
      if (body === undefined) throw new UnexpectedResponse(title, 'the response is not JSON');
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      const place = issue?.path.map(String).join('.') ?? '';
      throw new UnexpectedResponse(
        title,
        `the response is invalid at "${place}" (${issue?.message ?? 'unknown reason'})`,
        { cause: parsed.error },
      );
    });
  }

  /**
   * Sends a request and returns the result of `consume` for a successful response. A body that breaks while `consume` reads it counts
   * as a failed attempt. The timeout includes `consume`. Throws a PhaselineClientError, or the signal's reason.
   */
  async send<Result>(request: ApiRequest, consume: (response: Response) => Promise<Result>): Promise<Result> {
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.attempt(request, consume);
      } catch (error) {
        request.signal?.throwIfAborted();
        const isTransient =
          error instanceof ServerUnreachable || error instanceof RequestTimedOut || error instanceof TransientRefusal;
        if (!isTransient || !request.isRepeatable || retry >= this.options.retries)
          throw error instanceof TransientRefusal ? error.refusal : error;
        const requestedMs = error instanceof TransientRefusal ? error.retryAfterMs : undefined;
        await pause(requestedMs ?? (this.options.backoff ?? backoffMs)(retry), request.signal);
      }
    }
  }

  private async attempt<Result>(
    request: ApiRequest,
    consume: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const headers: Record<string, string> = { ...request.headers };
    if (this.options.apiKey !== undefined) headers['authorization'] = `${AUTHORIZATION_SCHEME} ${this.options.apiKey}`;
    if (this.options.onBehalfOf !== undefined) headers['on-behalf-of'] = this.options.onBehalfOf;
    if (typeof request.body === 'string') headers['content-type'] = 'application/json';
    if (request.body instanceof Uint8Array) headers['content-type'] = 'application/octet-stream';
    const url = this.url(request);

    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    if (request.sendsTimeout === true) headers[CALLER_TIMEOUT_HEADER] = String(Math.ceil(timeoutMs));
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal;
    try {
      const response = await this.fetch(url, {
        method: request.method,
        headers,
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      if (response.ok) return await consume(response);
      const refusal = createRefusal(request, response, await response.text());
      throw TRANSIENT_STATUSES.includes(response.status)
        ? new TransientRefusal(refusal, parseRetryAfter(response))
        : refusal;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (timeout.signal.aborted) throw new RequestTimedOut(this.baseUrl, timeoutMs);
      if (error instanceof PhaselineClientError || error instanceof TransientRefusal) throw error;
      throw new ServerUnreachable(this.baseUrl, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private url(request: ApiRequest): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(request.query ?? {})) {
      if (value === undefined) continue;
      for (const item of typeof value === 'object' ? value : [value]) query.append(key, String(item));
    }
    const text = query.toString();
    return `${this.baseUrl}${request.path}${text === '' ? '' : `?${text}`}`;
  }
}

/** Validates a base URL and removes trailing slashes. Its errors do not contain credentials. */
function parseBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(
      `${JSON.stringify(text.replace(/[^/]*@/, '***@'))} is not a valid base URL; expected a URL such as http://127.0.0.1:7070`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`expected a base URL that begins with http:// or https://, not with ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the base URL must not contain credentials; pass the key as `apiKey`');
  if (url.search !== '' || url.hash !== '')
    throw new TypeError('the base URL must not contain a query or a fragment; remove everything from ? or # on');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** A refusal after which a retry may succeed. Used only in this file. */
class TransientRefusal extends Error {
  constructor(
    readonly refusal: Error,
    readonly retryAfterMs: number | undefined,
  ) {
    super();
  }
}

function createRefusal(request: ApiRequest, response: Response, text: string): Error {
  const parsed = problemSchema.safeParse(parseJson(text));
  if (parsed.success) return createErrorFromProblem(parsed.data, response.status);
  if (response.status >= 500) {
    return createErrorFromProblem(
      { code: 'internal', message: `The server failed with HTTP ${response.status} and gave no reason. See its log.` },
      response.status,
    );
  }
  return new UnexpectedResponse(
    `${request.method} ${request.path}`,
    `HTTP ${response.status} without valid problem details`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses `Retry-After`, which is a number of seconds or a date. Returns milliseconds. */
function parseRetryAfter(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
