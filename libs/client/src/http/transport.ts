import type { z } from 'zod';
import { problemSchema } from '../problem/problem.js';
import {
  errorOfProblem,
  PhaselineClientError,
  RequestTimedOut,
  ServerUnreachable,
  UnexpectedAnswer,
} from './client-errors.js';
import { backoffMs, pause } from './pause.js';
import { AUTHORIZATION_SCHEME, CALLER_WAITS_HEADER } from './routes.js';

/** The part of `fetch` that is used, so that a stand-in is easy to write. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: FetchLike | undefined;
  /** How often a request is repeated that may be repeated. */
  readonly retries: number;
  /** For one attempt, until its answer is read. */
  readonly timeoutMs: number;
  /** The pause before retry number `retry`, from 0. */
  readonly backoff?: ((retry: number) => number) | undefined;
}

export type QueryValue = string | number | readonly string[] | undefined;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly signal?: AbortSignal | undefined;
  /** False for a request that must not be repeated, because a second one would do something again. */
  readonly repeatable: boolean;
  /** In place of the client's, for a request that takes longer by its size. */
  readonly timeoutMs?: number;
  /** Whether the server is told how long its answer is waited for, so that it does not act once nobody listens. */
  readonly tellsPatience?: boolean;
}

/** A busy or restarting server; the same request may succeed a little later. */
const PASSING_STATUS: readonly number[] = [429, 502, 503, 504];
const LONGEST_RETRY_AFTER_MS = 30_000;

/** Sends requests to one server: authorisation, time limits, retries of what is safe to repeat, errors by code. */
export class Transport {
  readonly baseUrl: string;
  private readonly fetch: FetchLike;

  /** Throws TypeError when the base URL is none. */
  constructor(private readonly options: TransportOptions) {
    this.baseUrl = checkedBaseUrl(options.baseUrl);
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  /** The answer's JSON, parsed. Throws a PhaselineClientError, or the signal's reason. */
  json<Schema extends z.ZodType>(request: ApiRequest, schema: Schema): Promise<z.output<Schema>> {
    const title = `${request.method} ${request.path}`;
    return this.send({ ...request, headers: { accept: 'application/json', ...request.headers } }, async (response) => {
      const body = parseJson(await response.text());
      if (body === undefined) throw new UnexpectedAnswer(title, 'the answer is not JSON');
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      const place = issue?.path.map(String).join('.') ?? '';
      throw new UnexpectedAnswer(
        title,
        `the answer does not fit at "${place}" (${issue?.message ?? 'unknown reason'})`,
        { cause: parsed.error },
      );
    });
  }

  /**
   * What `consume` makes of a successful answer. A body that breaks while `consume` reads it counts as a failed attempt, and
   * the time limit ends when `consume` does. Throws a PhaselineClientError, or the signal's reason.
   */
  async send<Result>(request: ApiRequest, consume: (response: Response) => Promise<Result>): Promise<Result> {
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.attempt(request, consume);
      } catch (error) {
        request.signal?.throwIfAborted();
        const passing =
          error instanceof ServerUnreachable || error instanceof RequestTimedOut || error instanceof TryLater;
        if (!passing || !request.repeatable || retry >= this.options.retries)
          throw error instanceof TryLater ? error.refusal : error;
        const askedFor = error instanceof TryLater ? error.afterMs : undefined;
        await pause(askedFor ?? (this.options.backoff ?? backoffMs)(retry), request.signal);
      }
    }
  }

  private async attempt<Result>(
    request: ApiRequest,
    consume: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const headers: Record<string, string> = { ...request.headers };
    if (this.options.apiKey !== undefined) headers['authorization'] = `${AUTHORIZATION_SCHEME} ${this.options.apiKey}`;
    if (typeof request.body === 'string') headers['content-type'] = 'application/json';
    const url = this.url(request);

    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs;
    if (request.tellsPatience === true) headers[CALLER_WAITS_HEADER] = String(Math.ceil(timeoutMs));
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
    try {
      const response = await this.fetch(url, {
        method: request.method,
        headers,
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      if (response.ok) return await consume(response);
      const refusal = refusalOf(request, response, await response.text());
      throw PASSING_STATUS.includes(response.status) ? new TryLater(refusal, retryAfterMs(response)) : refusal;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (limit.signal.aborted) throw new RequestTimedOut(this.baseUrl, timeoutMs);
      if (error instanceof PhaselineClientError || error instanceof TryLater) throw error;
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

/** Without a slash at its end. Never repeats credentials in its complaints. */
function checkedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(
      `${JSON.stringify(text.replace(/[^/]*@/, '***@'))} is not a base URL; expected something like http://127.0.0.1:7070`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`expected a base URL that begins with http:// or https://, not with ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the base URL must not hold credentials; pass the key as `apiKey`');
  if (url.search !== '' || url.hash !== '')
    throw new TypeError('the base URL must end with its path; leave out what begins with ? or #');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** A refusal that may pass, and when to ask again. Never leaves this file. */
class TryLater extends Error {
  constructor(
    readonly refusal: Error,
    readonly afterMs: number | undefined,
  ) {
    super();
  }
}

function refusalOf(request: ApiRequest, response: Response, text: string): Error {
  const parsed = problemSchema.safeParse(parseJson(text));
  if (parsed.success) return errorOfProblem(parsed.data, response.status);
  if (response.status >= 500) {
    return errorOfProblem(
      { code: 'internal', message: `The server failed with HTTP ${response.status} and no reason; its log says more.` },
      response.status,
    );
  }
  return new UnexpectedAnswer(
    `${request.method} ${request.path}`,
    `HTTP ${response.status} without a problem that can be read`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
