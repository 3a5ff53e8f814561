import type { JsonObject } from '@phaseline/basics';

/** Error of a tool that could not do its work. The message goes to the model, so it must say what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** Whether the same call may succeed later (a busy server, a timeout); tool-runner then retries it. */
  readonly retryable: boolean;
  /** Whether the work may have been done despite the error: a timeout or a lost connection after the request was sent. */
  readonly outcomeUnknown: boolean;
  /** Structured result beside the message, in the shape that the tool declares. */
  readonly result: JsonObject | undefined;

  constructor(
    /** Stable identifier in snake_case; other processes match on it. */
    readonly code: string,
    message: string,
    options: { retryable?: boolean; outcomeUnknown?: boolean; result?: JsonObject | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
    this.result = options.result;
  }
}
