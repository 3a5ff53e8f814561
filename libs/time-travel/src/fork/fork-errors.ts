/** A job cannot be forked as asked. Nothing was recorded. */
export class ForkRefused extends Error {
  override readonly name = 'ForkRefused';
  readonly code = 'fork_refused';
}

/** The same idempotency key was used before with another request. */
export class ForkConflict extends Error {
  override readonly name = 'ForkConflict';
  readonly code = 'idempotency_conflict';
  constructor(readonly jobId: string) {
    super(
      `this idempotency key was used before with another request; it made job ${jobId}. Use a new key for a new request.`,
    );
  }
}
