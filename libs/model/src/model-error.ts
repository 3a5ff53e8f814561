/** Codes of failed model calls, and whether the same call may succeed later. */
export const MODEL_ERROR_CODES = {
  /** The server requests a lower rate of requests. */
  rate_limited: { retryable: true },
  /** The server failed or is still loading the model. */
  server_error: { retryable: true },
  /** No server responds at the base URL. */
  unreachable: { retryable: true },
  /** The answer did not start, continue or finish within the timeouts of the profile. */
  timeout: { retryable: true },
  /** The answer broke off or was unreadable. */
  stream_broken: { retryable: true },
  /** The answer exceeds the requested limit, and the server sends it in one piece, so it cannot be stopped. */
  answer_too_long: { retryable: false },
  /** The API key is missing or wrong. */
  unauthorized: { retryable: false },
  /** The server does not know the model, or the base URL does not belong to an API. */
  model_not_found: { retryable: false },
  /** The server rejects the request as invalid. */
  bad_request: { retryable: false },
  /** The conversation exceeds the context of the model. */
  context_exceeded: { retryable: false },
  /** The server refuses a valid request: no permission, no credit, or its content policy. */
  refused_by_server: { retryable: false },
  /** The caller's signal was aborted. */
  aborted: { retryable: false },
} as const;

export type ModelErrorCode = keyof typeof MODEL_ERROR_CODES;

export interface ModelErrorDetails {
  /** Overrides the value of the code if the server decides (`x-should-retry`) or waiting cannot help. */
  readonly retryable?: boolean;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** Delay that the server requests before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Total number of attempts, including this one. */
  readonly attempts?: number;
  /** Defaults to true: the server may have worked and charged although no answer arrived. */
  readonly mayBeCharged?: boolean;
  readonly cause?: unknown;
}

/** Failures that resolve once the server is back or less busy, without changing the request. */
const OUTAGE_CODES: ReadonlySet<ModelErrorCode> = new Set(['rate_limited', 'server_error', 'unreachable', 'timeout']);

/** Whether waiting can help: the server is unreachable, overloaded or failing, and the request itself is valid. */
export function isOutage({ code, retryable }: ModelError): boolean {
  return retryable && OUTAGE_CODES.has(code);
}

/** A failed model call. The message says what to do next and never contains the API key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  /** Whether the attempt may have been charged. Earlier attempts within the same `complete` certainly were not. */
  readonly mayBeCharged: boolean;

  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? MODEL_ERROR_CODES[code].retryable;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 1;
    this.mayBeCharged = details.mayBeCharged ?? true;
  }

  /** Returns the same failure with the total number of attempts. */
  withAttempts(attempts: number): ModelError {
    const { status, retryAfterMs, retryable, mayBeCharged, cause } = this;
    const message = attempts > 1 ? `${this.message} (${attempts} attempts)` : this.message;
    return new ModelError(this.code, message, {
      retryable,
      attempts,
      mayBeCharged,
      cause,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}
