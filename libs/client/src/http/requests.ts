import { generateIdempotencyKey } from './generate-idempotency-key.js';
import { IDEMPOTENCY_KEY_HEADER } from './routes.js';
import type { ApiRequest } from './transport.js';

/** Options of a request that can be aborted. */
export interface Cancellable {
  readonly signal?: AbortSignal;
}

/** Options of a change that is executed once, also if it is repeated. */
export interface Keyed extends Cancellable {
  /** Requests with the same key and content are executed once. Default: a random key. */
  readonly idempotencyKey?: string;
}

export interface FileEditOptions extends Keyed {
  /** Told to the agent, and recorded. */
  readonly reason?: string | undefined;
  /** Hash of the content that may be replaced. By default any content may. */
  readonly ifMatch?: string | undefined;
}

export type Query = NonNullable<ApiRequest['query']>;

export function createGet(path: string, query: Query, { signal }: Cancellable): ApiRequest {
  return { method: 'GET', path, query, signal, isRepeatable: true };
}

export function createWrite(
  method: 'POST' | 'PUT',
  path: string,
  body: object | undefined,
  { signal }: Cancellable,
): ApiRequest {
  return { method, path, ...(body ? { body: JSON.stringify(body) } : {}), signal, isRepeatable: true };
}

/** Longer than the server decides recorded jobs again. */
const LONG_TIMEOUT_MS = 300_000;

/** A request that can take minutes. Sent twice, it would run twice. */
export function createLongWrite(path: string, body: object, options: Cancellable): ApiRequest {
  return { ...createWrite('POST', path, body, options), isRepeatable: false, timeoutMs: LONG_TIMEOUT_MS };
}

export function createFileEdit(
  method: 'PUT' | 'DELETE',
  path: string,
  { reason, ifMatch, signal, idempotencyKey = generateIdempotencyKey() }: FileEditOptions,
  query: ApiRequest['query'] = {},
): ApiRequest {
  const headers = {
    [IDEMPOTENCY_KEY_HEADER]: idempotencyKey,
    ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
  };
  return { method, path, query: { ...query, reason }, headers, signal, isRepeatable: true, sendsTimeout: true };
}

export function createWriteWithKey(path: string, body: object, options: Keyed): ApiRequest {
  const headers = { [IDEMPOTENCY_KEY_HEADER]: options.idempotencyKey ?? generateIdempotencyKey() };
  return { ...createWrite('POST', path, body, options), headers, sendsTimeout: true };
}
