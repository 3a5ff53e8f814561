import { clip, toWellFormedText, toSingleLine } from '@phaseline/basics';
import { ErrorInAnswer } from '../answer/fold-chunks.js';
import { ModelError, type ModelErrorCode } from '../model-error.js';
import { asCount, asObject, asText, type LooseObject } from '../wire/loose-json.js';
import { AnswerTooLong, ConnectionLost, UnreadableAnswer } from './body-reader.js';
import type { Endpoint } from './endpoint.js';
import { isApiError, isConnectionError, isConnectionTimeout } from './openai-package.js';
import { readRetryAfter } from './retry-after.js';
import type { Alarm } from './watchdog.js';

/** Maximum length of a server message quoted in an error. */
const MAX_QUOTED_CHARACTERS = 300;

/** Context of the failed call. */
export interface CallContext {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly profileName: string;
  /** The timeout or abort that ended the attempt on our side, if any. */
  readonly alarm: Alarm | undefined;
}

/**
 * Converts the failure of one attempt into a `ModelError`. Errors that come from neither the transport nor the server,
 * such as those of a callback, are returned unchanged.
 */
export function classifyError(error: unknown, context: CallContext): unknown {
  if (error instanceof ModelError) return error;
  const { alarm, endpoint } = context;
  if (alarm === 'aborted') return new ModelError('aborted', 'the model call was aborted by its caller');
  if (alarm !== undefined || isConnectionTimeout(error)) return toTimeoutError(alarm, context);
  if (error instanceof ErrorInAnswer)
    return toServerError(readServerError(error.body), error.isMidway ? 'midway' : 'in-answer', context);
  if (error instanceof AnswerTooLong) return toTooLongError(error, context);
  if (error instanceof UnreadableAnswer) return toUnreadableError(error, context);
  if (isConnectionError(error)) return toUnreachableError(error, context);
  if (isApiError(error)) {
    const { status, headers } = error;
    const body = asObject(
      Array.isArray(error.error) ? (asObject(error.error[0])?.error ?? error.error[0]) : error.error,
    );
    const serverError = readServerError(body ?? { message: error.message.replace(/^\d{3} /, '') });
    return toServerError({ ...serverError, status: status ?? serverError.status, headers }, 'status', context);
  }
  if (error instanceof ConnectionLost) {
    const message = `the connection to ${endpoint.host} broke in the middle of the answer: ${findReason(error.cause)}`;
    return new ModelError('stream_broken', message, { cause: error.cause });
  }
  return error;
}

interface ServerError {
  readonly status: number | undefined;
  readonly text: string;
  /** The outermost message. It is classified as well, because a gateway's own message may appear only there. */
  readonly outerText: string;
  /** `code` and `type` as the server sent them, in lower case. */
  readonly marks: string;
  readonly headers?: Headers | undefined;
}

function readServerError(body: LooseObject): ServerError {
  const code = asCount(body.code) ?? asCount(Number(asText(body.code) || NaN));
  const text = findInnermostMessage(body) ?? JSON.stringify(body);
  return {
    status: code !== undefined && code >= 400 && code < 600 ? code : undefined,
    text: toWellFormedText(text),
    outerText: asText(body.message) || asText(body.detail) || asText(body.msg),
    marks: `${String(body.code ?? '')} ${asText(body.type)}`.toLowerCase(),
  };
}

/** Maximum nesting of messages: gateways embed the response of the server behind them as JSON in a string, repeatedly. */
const MAX_NESTING = 4;

/** Finds the innermost message of a wrapped error, which is the readable part. */
function findInnermostMessage(body: LooseObject, depth = 0): string | undefined {
  for (const member of [body.error, body.message, body.detail, body.msg]) {
    const inner = asObject(member) ?? (typeof member === 'string' ? parseTrailingJson(member) : undefined);
    const message = inner && depth < MAX_NESTING ? findInnermostMessage(inner, depth + 1) : undefined;
    if (message !== undefined) return message;
    if (asText(member) !== '') return asText(member);
  }
  return undefined;
}

/** Parses the JSON object that a text consists of or ends with: `litellm.APIError: … {"error": …}`. */
function parseTrailingJson(text: string): LooseObject | undefined {
  const start = text.indexOf('{');
  if (start < 0 || !text.trimEnd().endsWith('}')) return undefined;
  try {
    return asObject(JSON.parse(text.slice(start)));
  } catch {
    return undefined;
  }
}

const CONTEXT_EXCEEDED =
  /context[ _-]?(length|window|size)|maximum context|exceed_context|prompt (is )?too long|exceeds? (the )?(max|model|available)[^.]*(token|length|context)|input (token|length)[^.]*(exceed|range)|too many tokens/i;
const NO_CREDIT = /insufficient[ _](quota|balance|credit|funds)|exceeded your current quota|billing|payment required/i;
const RATE_LIMIT = /\brate[ _-]?limit|too many requests/i;
const CONTENT_POLICY = /content[ _](filter|policy|management)|data_inspection_failed|flagged|safety system/i;
const UNKNOWN_MODEL =
  /model[^.]*(not found|not exist|does ?n.t exist|unknown|invalid model)|invalid model|unknown model|model_not_found/i;
const WRONG_KEY = /invalid[ _]api[ _]?key|incorrect api key|authentication|unauthorized|invalid_token/i;

function classifyServerError({ status, text, outerText, marks }: ServerError): ModelErrorCode {
  // The reason comes first; some servers append the whole prompt.
  const words = `${marks} ${outerText.slice(0, 4_000)} ${text.slice(0, 4_000)}`;
  if (status === 401 || (WRONG_KEY.test(words) && (status === undefined || status === 400 || status === 403)))
    return 'unauthorized';
  // With status 429, only `code` or `type` tells an exhausted account from a rate limit: Gemini uses the same text for both.
  if (status === 402 || marks.includes('insufficient_quota') || (status !== 429 && NO_CREDIT.test(words)))
    return 'refused_by_server';
  if (status === 429 || RATE_LIMIT.test(words)) return 'rate_limited';
  if (status === 413 || (CONTEXT_EXCEEDED.test(words) && status !== 404)) return 'context_exceeded';
  if (status === 403 || (CONTENT_POLICY.test(words) && (status ?? 400) < 500)) return 'refused_by_server';
  if (status === 404 || (UNKNOWN_MODEL.test(words) && (status ?? 400) < 500)) return 'model_not_found';
  if (status === 408) return 'timeout';
  if (status === undefined) return /invalid_request|bad.?request/.test(marks) ? 'bad_request' : 'server_error';
  return status >= 500 || status === 409 || status === 425 ? 'server_error' : 'bad_request';
}

/** Statuses that a server sends instead of processing a request. Other 5xx may come from a gateway whose server did the work. */
const NOT_PROCESSED_STATUSES: ReadonlySet<number> = new Set([429, 503, 529]);
const NEVER_CHARGED_CODES: ReadonlySet<ModelErrorCode> = new Set([
  'rate_limited',
  'unauthorized',
  'model_not_found',
  'bad_request',
  'context_exceeded',
]);

/** Where the error was received: with an error status, in the body of a 200 response, or after a part of the answer. */
type ErrorSource = 'status' | 'in-answer' | 'midway';

/** Sampling failures in the middle of an answer, which some servers report as a bad request. */
const SAMPLING_FAILED = /harmony ?error|unexpected tokens? .*(message header|start token|role)/i;
/** Statuses that mean a refusal even if the error comes inside a 200 response. */
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 413]);

/**
 * Whether the error concerns this attempt rather than the request. A server that responded with 200 accepted the request,
 * so a later failure (for example, a token that its parser does not know) may not recur, even if its message suggests otherwise.
 */
function isFailureWhileAnswering(error: ServerError, code: ModelErrorCode, source: ErrorSource): boolean {
  if (SAMPLING_FAILED.test(`${error.marks} ${error.text}`)) return true;
  if (source === 'midway') return ['bad_request', 'model_not_found', 'unauthorized'].includes(code);
  if (source === 'status' || REFUSAL_STATUSES.has(error.status ?? 0)) return false;
  if (code === 'bad_request') return true;
  // The message alone is not enough: "the model produced an unknown token" does not mean an unknown model.
  return (
    (code === 'model_not_found' && !/model_?not_?found|notfounderror/.test(error.marks)) ||
    (code === 'unauthorized' && !/api_?key|auth/.test(error.marks))
  );
}

function toServerError(error: ServerError, source: ErrorSource, context: CallContext): ModelError {
  const classified = classifyServerError(error);
  const midway = source === 'midway';
  const code = isFailureWhileAnswering(error, classified, source) ? 'stream_broken' : classified;
  const shouldRetry = error.headers?.get('x-should-retry');
  const retryAfterMs = readRetryAfter(error.headers);
  // Not implemented, or HTTP version not supported: retrying cannot help.
  const isPermanent = error.status === 501 || error.status === 505;
  const retryable = shouldRetry === 'false' || isPermanent ? false : shouldRetry === 'true' ? true : undefined;
  const wasNotProcessed = error.headers !== undefined && NOT_PROCESSED_STATUSES.has(error.status ?? 0);
  return new ModelError(code, formatMessage(code, error, source, context), {
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(retryable === undefined ? {} : { retryable }),
    mayBeCharged: midway || !(wasNotProcessed || NEVER_CHARGED_CODES.has(code)),
  });
}

function formatMessage(code: ModelErrorCode, error: ServerError, source: ErrorSource, context: CallContext): string {
  const { endpoint } = context;
  const { host } = endpoint;
  const status = error.status === undefined ? '' : ` (${error.status})`;
  const message = `${host} returned an error${status}: ${quote(error.text, endpoint)}`;
  switch (code) {
    case 'unauthorized':
      // The server's message is omitted because many servers repeat a part of the key.
      return endpoint.hasKey
        ? `${host} rejected the API key${status}: set OPENAI_API_KEY to a key for that server, or OPENAI_BASE_URL to the server that the key belongs to`
        : `${host} requires an API key${status} and OPENAI_API_KEY is not set: set it to a key for that server`;
    case 'model_not_found':
      return `${message}. Check the model of the profile ${context.profileName} (${JSON.stringify(context.model)}) and OPENAI_BASE_URL, which ends in /v1 for most servers`;
    case 'rate_limited':
      return `${message}. Reduce the concurrency of the workers or raise the limit of the account`;
    case 'context_exceeded':
      return `${message}. Set contextTokens of the profile ${context.profileName} to the context size of the server`;
    case 'refused_by_server':
      return `${message}. Check the permissions and the credit of the account, and the content of the request`;
    case 'bad_request':
      return `${message}. Check that the server supports the parameters of the profile ${context.profileName}`;
    default:
      if (source === 'midway') return `${message}, in the middle of the answer`;
      return source === 'in-answer' ? `${message}, instead of an answer` : message;
  }
}

function toTimeoutError(alarm: Alarm | undefined, { endpoint, profileName }: CallContext): ModelError {
  const limits = { call: 'callMs', 'first-byte': 'firstByteMs', idle: 'idleMs' } as const;
  const limit = alarm === 'first-byte' || alarm === 'idle' ? limits[alarm] : limits.call;
  const what =
    limit === 'callMs'
      ? 'did not finish its answer'
      : limit === 'idleMs'
        ? 'stopped in the middle of its answer'
        : 'did not start to answer';
  return new ModelError(
    'timeout',
    `${endpoint.host} ${what} in time: if it needs more time, raise timeouts.${limit} of the profile ${profileName}`,
  );
}

function toUnreadableError(error: UnreadableAnswer, { endpoint, profileName }: CallContext): ModelError {
  if (error.kind === 'not-an-api') {
    return new ModelError(
      'bad_request',
      `${endpoint.host}: ${error.message}. Check OPENAI_BASE_URL, which ends in /v1 for most servers`,
    );
  }
  const advice = `. If this happens every time, set streaming of the profile ${profileName} to false`;
  return new ModelError('stream_broken', `${endpoint.host}: ${error.message}${advice}`);
}

function toTooLongError(error: AnswerTooLong, { endpoint, profileName }: CallContext): ModelError {
  return new ModelError(
    'answer_too_long',
    `${endpoint.host} ignores the output limit: ${error.message}. Set streaming of the profile ${profileName} to true, so that such an answer can be stopped, or limit the output on the server`,
  );
}

function toUnreachableError(error: Error, { endpoint }: CallContext): ModelError {
  const { host } = endpoint;
  const reason = findReason(error.cause ?? error);
  if (/CERT|SIGNED|ERR_TLS|UNABLE_TO_VERIFY/.test(reason)) {
    const message = `the certificate of ${host} is not trusted (${reason}): add its certificate authority to NODE_EXTRA_CA_CERTS`;
    return new ModelError('unreachable', message, { retryable: false, cause: error.cause, mayBeCharged: false });
  }
  if (/EPROTO|HPE_|WRONG_VERSION/.test(reason)) {
    const message = `${host} does not use the protocol that OPENAI_BASE_URL names (${reason}): try http:// instead of https://, or vice versa`;
    return new ModelError('unreachable', message, { retryable: false, cause: error.cause });
  }
  return new ModelError(
    'unreachable',
    `cannot reach ${host} (${reason}): check that it is running, and check OPENAI_BASE_URL`,
    {
      cause: error.cause,
      mayBeCharged: !failedBeforeSending(error.cause),
    },
  );
}

/** Whether the failure happened before a connection existed, so that no request was sent. */
function failedBeforeSending(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(failedBeforeSending);
  const syscall = asObject(cause)?.syscall;
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

function findReason(error: unknown): string {
  const code = asObject(error)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

function quote(text: string, endpoint: Endpoint): string {
  if (text.trimStart().startsWith('<')) return 'a web page';
  const line = toSingleLine(endpoint.redact(text));
  return clip(line, MAX_QUOTED_CHARACTERS);
}
