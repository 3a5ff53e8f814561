import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { ErrorInAnswer } from '../answer/fold-chunks.js';
import { ModelError, type ModelErrorCode } from '../model-error.js';
import { asCount, asObject, asText, type LooseObject } from '../wire/loose-json.js';
import { wellFormed } from '../wire/well-formed.js';
import { AnswerTooLong, ConnectionLost, UnreadableAnswer } from './body-reader.js';
import type { Endpoint } from './endpoint.js';
import { readRetryAfter } from './retry-after.js';
import type { Alarm } from './watchdog.js';

/** As much of a server's own words as a message quotes. */
const QUOTED_CHARACTERS = 300;

/** What is known of the call that failed. */
export interface CallContext {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly profileName: string;
  /** What ended the attempt from our side. */
  readonly alarm: Alarm | undefined;
}

/**
 * The failure of one attempt, in our words. Errors that are not of the transport or the server (a callback that threw,
 * say) come back as they are.
 */
export function classifyError(error: unknown, context: CallContext): unknown {
  if (error instanceof ModelError) return error;
  const { alarm, endpoint } = context;
  if (alarm === 'aborted') return new ModelError('aborted', 'the model call was aborted by its caller');
  if (alarm !== undefined || error instanceof APIConnectionTimeoutError) return timedOut(alarm, context);
  if (error instanceof ErrorInAnswer)
    return serverRefused(describe(error.body), error.midway ? 'midway' : 'in-answer', context);
  if (error instanceof AnswerTooLong) return tooLong(error, context);
  if (error instanceof UnreadableAnswer) return unreadable(error, context);
  if (error instanceof APIConnectionError) return unreachable(error, context);
  if (error instanceof APIError) {
    const { status, headers } = error as APIError<number | undefined, Headers | undefined>;
    const body = asObject(
      Array.isArray(error.error) ? (asObject(error.error[0])?.error ?? error.error[0]) : error.error,
    );
    const told = describe(body ?? { message: error.message.replace(/^\d{3} /, '') });
    return serverRefused({ ...told, status: status ?? told.status, headers }, 'status', context);
  }
  if (error instanceof ConnectionLost) {
    const message = `the connection to ${endpoint.host} broke in the middle of the answer: ${reasonOf(error.cause)}`;
    return new ModelError('stream_broken', message, { cause: error.cause });
  }
  return error;
}

interface ServerError {
  readonly status: number | undefined;
  readonly text: string;
  /** The outermost message, from which the kind of error is told as well: a gateway's own words may be in it alone. */
  readonly outerText: string;
  /** `code` and `type` as the server sent them, in lower case. */
  readonly marks: string;
  readonly headers?: Headers | undefined;
}

function describe(body: LooseObject): ServerError {
  const code = asCount(body.code) ?? asCount(Number(asText(body.code) || NaN));
  const text = plainText(body) ?? JSON.stringify(body);
  return {
    status: code !== undefined && code >= 400 && code < 600 ? code : undefined,
    text: wellFormed(text),
    outerText: asText(body.message) || asText(body.detail) || asText(body.msg),
    marks: `${String(body.code ?? '')} ${asText(body.type)}`.toLowerCase(),
  };
}

/** Gateways put the answer of the server behind them into their own, as JSON in a string, and that once more. */
const MAX_NESTING = 4;

/** The innermost message of an error that is wrapped in others, which is the only part that a person can read. */
function plainText(body: LooseObject, depth = 0): string | undefined {
  for (const member of [body.error, body.message, body.detail, body.msg]) {
    const inner = asObject(member) ?? (typeof member === 'string' ? jsonWithin(member) : undefined);
    const said = inner && depth < MAX_NESTING ? plainText(inner, depth + 1) : undefined;
    if (said !== undefined) return said;
    if (asText(member) !== '') return asText(member);
  }
  return undefined;
}

/** The JSON object that a text is, or ends with: `litellm.APIError: … {"error": …}`. */
function jsonWithin(text: string): LooseObject | undefined {
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

function codeOf({ status, text, outerText, marks }: ServerError): ModelErrorCode {
  // The reason stands at the beginning; some servers repeat the whole prompt behind it.
  const words = `${marks} ${outerText.slice(0, 4_000)} ${text.slice(0, 4_000)}`;
  if (status === 401 || (WRONG_KEY.test(words) && (status === undefined || status === 400 || status === 403)))
    return 'unauthorized';
  // Among the 429, only the mark tells an empty account from a busy one: Gemini words both alike.
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

/** What a server says instead of working. Every other 5xx may come from a gateway in front of one that did work. */
const TURNED_AWAY: ReadonlySet<number> = new Set([429, 503, 529]);
const NEVER_CHARGED: ReadonlySet<ModelErrorCode> = new Set([
  'rate_limited',
  'unauthorized',
  'model_not_found',
  'bad_request',
  'context_exceeded',
]);

/** Where the error stood: in place of an answer with its HTTP status, in an answer with status 200, or behind a part of one. */
type Place = 'status' | 'in-answer' | 'midway';

/** What sampling runs into in the midst of an answer, which servers report as a bad request now and then. */
const SAMPLING_FAILED = /harmony ?error|unexpected tokens? .*(message header|start token|role)/i;
/** By status, a refusal that is meant as one although it comes inside an answer. */
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 404, 413]);

/**
 * Whether the error is one of this attempt and not of the request. A server that has said 200 took the request: what goes
 * wrong then (a token that its parser does not know, say) may go right the next time, whatever words it finds for it.
 */
function failedWhileAnswering(told: ServerError, found: ModelErrorCode, place: Place): boolean {
  if (SAMPLING_FAILED.test(`${told.marks} ${told.text}`)) return true;
  if (place === 'midway') return ['bad_request', 'model_not_found', 'unauthorized'].includes(found);
  if (place === 'status' || REFUSED.has(told.status ?? 0)) return false;
  if (found === 'bad_request') return true;
  // Words alone say little: "the model produced an unknown token" is no unknown model.
  return (
    (found === 'model_not_found' && !/model_?not_?found|notfounderror/.test(told.marks)) ||
    (found === 'unauthorized' && !/api_?key|auth/.test(told.marks))
  );
}

function serverRefused(told: ServerError, place: Place, context: CallContext): ModelError {
  const found = codeOf(told);
  const midway = place === 'midway';
  const code = failedWhileAnswering(told, found, place) ? 'stream_broken' : found;
  const asked = told.headers?.get('x-should-retry');
  const retryAfterMs = readRetryAfter(told.headers);
  // Not implemented, or a version that is not spoken: no later attempt changes that.
  const hopeless = told.status === 501 || told.status === 505;
  const retryable = asked === 'false' || hopeless ? false : asked === 'true' ? true : undefined;
  const turnedAway = told.headers !== undefined && TURNED_AWAY.has(told.status ?? 0);
  return new ModelError(code, messageFor(code, told, place, context), {
    ...(told.status === undefined ? {} : { status: told.status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(retryable === undefined ? {} : { retryable }),
    mayBeCharged: midway || !(turnedAway || NEVER_CHARGED.has(code)),
  });
}

function messageFor(code: ModelErrorCode, told: ServerError, place: Place, context: CallContext): string {
  const { endpoint } = context;
  const { host, apiKeyVariable: key, baseUrlVariable: base } = endpoint;
  const status = told.status === undefined ? '' : ` (${told.status})`;
  const said = `${host} said${status}: ${quote(told.text, endpoint)}`;
  switch (code) {
    case 'unauthorized':
      // The server's words are left out: many repeat a part of the key.
      return endpoint.hasKey
        ? `${host} does not accept the API key${status}: set ${key} to a key of that server, or ${base} to the server of the key`
        : `${host} wants an API key${status} and ${key} is not set: set it to a key of that server`;
    case 'model_not_found':
      return `${said}. Check the model of the profile ${context.profileName} (${JSON.stringify(context.model)}), and that ${base} is right: for most servers it ends in /v1`;
    case 'rate_limited':
      return `${said}. Lower the concurrency of the workers, or raise the limit of the account`;
    case 'context_exceeded':
      return `${said}. Set contextTokens of the profile ${context.profileName} to what the server can take`;
    case 'refused_by_server':
      return `${said}. Check the rights and the credit of the account, and what was sent`;
    case 'bad_request':
      return `${said}. Check the parameters of the profile ${context.profileName} against what the server knows`;
    default:
      if (place === 'midway') return `${said}, in the middle of the answer`;
      return place === 'in-answer' ? `${said}, in place of an answer` : said;
  }
}

function timedOut(alarm: Alarm | undefined, { endpoint, profileName }: CallContext): ModelError {
  const limits = { call: 'callMs', 'first-byte': 'firstByteMs', idle: 'idleMs' } as const;
  const limit = alarm === 'first-byte' || alarm === 'idle' ? limits[alarm] : limits.call;
  const what =
    limit === 'callMs'
      ? 'did not finish its answer'
      : limit === 'idleMs'
        ? 'stopped in the middle of its answer'
        : 'did not begin to answer';
  return new ModelError(
    'timeout',
    `${endpoint.host} ${what} in time: if it needs longer, raise timeouts.${limit} of the profile ${profileName}`,
  );
}

function unreadable(error: UnreadableAnswer, { endpoint, profileName }: CallContext): ModelError {
  if (error.kind === 'not-an-api') {
    return new ModelError(
      'bad_request',
      `${endpoint.host}: ${error.message}. Check ${endpoint.baseUrlVariable}: for most servers it ends in /v1`,
    );
  }
  const advice = `. If it always does, set streaming of the profile ${profileName} to false`;
  return new ModelError('stream_broken', `${endpoint.host}: ${error.message}${advice}`);
}

function tooLong(error: AnswerTooLong, { endpoint, profileName }: CallContext): ModelError {
  return new ModelError(
    'answer_too_long',
    `${endpoint.host} ignores the bound of the answer: ${error.message}. Set streaming of the profile ${profileName} to true, so that such an answer can be stopped, or bound answers at the server`,
  );
}

function unreachable(error: APIConnectionError, { endpoint }: CallContext): ModelError {
  const { host, baseUrlVariable } = endpoint;
  const reason = reasonOf(error.cause ?? error);
  if (/CERT|SIGNED|ERR_TLS|UNABLE_TO_VERIFY/.test(reason)) {
    const message = `the certificate of ${host} is not trusted (${reason}): name its authority in NODE_EXTRA_CA_CERTS`;
    return new ModelError('unreachable', message, { retryable: false, cause: error.cause, mayBeCharged: false });
  }
  if (/EPROTO|HPE_|WRONG_VERSION/.test(reason)) {
    const message = `${host} does not speak what ${baseUrlVariable} says (${reason}): try http:// for https://, or the other way round`;
    return new ModelError('unreachable', message, { retryable: false, cause: error.cause });
  }
  return new ModelError('unreachable', `cannot reach ${host} (${reason}): check that it runs, and ${baseUrlVariable}`, {
    cause: error.cause,
    mayBeCharged: !beforeSending(error.cause),
  });
}

/** Whether there was no connection yet over which a request could have gone. */
function beforeSending(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(beforeSending);
  const syscall = asObject(cause)?.syscall;
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

function reasonOf(error: unknown): string {
  const code = asObject(error)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

function quote(text: string, endpoint: Endpoint): string {
  if (text.trimStart().startsWith('<')) return 'a web page';
  const line = endpoint.redact(text).replace(/\s+/g, ' ').trim();
  return line.length > QUOTED_CHARACTERS ? `${line.slice(0, QUOTED_CHARACTERS)}…` : line;
}
