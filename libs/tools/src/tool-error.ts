/** A tool could not do its work. The message goes to the model, so it says what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** Whether the same call may succeed a little later (a busy server, a timeout), so that tool-runner tries again. */
  readonly retryable: boolean;
  /** Whether the work may have been done all the same: a time limit or a lost connection behind a request that was sent. */
  readonly outcomeUnknown: boolean;

  constructor(
    /** Stable, snake_case; recognised across processes. */
    readonly code: string,
    message: string,
    options: { retryable?: boolean; outcomeUnknown?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}
