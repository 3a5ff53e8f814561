/** Every way in which a model call fails, and whether the same call may succeed later. */
export const modelErrorCodes = {
  /** The server asks for fewer requests. */
  rate_limited: { retryable: true },
  /** The server failed, or is still loading the model. */
  server_error: { retryable: true },
  /** Nobody answers at the base URL. */
  unreachable: { retryable: true },
  /** The answer did not begin, go on or end in the time the profile gives it. */
  timeout: { retryable: true },
  /** The answer broke off or could not be read. */
  stream_broken: { retryable: true },
  /** The answer is longer than it was asked to be, and the server sends it in one piece, so that nobody can stop it. */
  answer_too_long: { retryable: false },
  /** The API key is missing or wrong. */
  unauthorized: { retryable: false },
  /** The server does not know the model, or the base URL is not that of an API. */
  model_not_found: { retryable: false },
  /** The server does not take the request as it is. */
  bad_request: { retryable: false },
  /** The conversation is longer than the model can take. */
  context_exceeded: { retryable: false },
  /** The server understands and will not: no permission, no credit, or its content policy. */
  refused_by_server: { retryable: false },
  /** The caller's signal was aborted. */
  aborted: { retryable: false },
} as const;

export type ModelErrorCode = keyof typeof modelErrorCodes;

export interface ModelErrorDetails {
  /** Overrides the table, where the server says so itself (`x-should-retry`) or waiting cannot help. */
  readonly retryable?: boolean;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Attempts made in all, this one included. */
  readonly attempts?: number;
  /** Absent where nobody can tell: the server may have worked, and charged, although no answer came. */
  readonly mayBeCharged?: boolean;
  readonly cause?: unknown;
}

/** Failures that end by themselves once the server is back or less busy; nothing about the request has to change. */
const OUTAGES: ReadonlySet<ModelErrorCode> = new Set(['rate_limited', 'server_error', 'unreachable', 'timeout']);

/** Whether waiting can help: the server is away, overloaded or broken, and the request is as good as any other. */
export function isOutage({ code, retryable }: ModelError): boolean {
  return retryable && OUTAGES.has(code);
}

/** A model call that gave no answer. The message says what to do next and never holds the API key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  /** Whether the attempt may cost something. All attempts before it within one `complete` surely did not. */
  readonly mayBeCharged: boolean;

  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? modelErrorCodes[code].retryable;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 1;
    this.mayBeCharged = details.mayBeCharged ?? true;
  }

  /** The same failure after so many attempts. */
  after(attempts: number): ModelError {
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
