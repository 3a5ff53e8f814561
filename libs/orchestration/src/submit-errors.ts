/** The same idempotency key was used before with another request. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
  readonly code = 'idempotency_conflict';
  constructor(readonly jobId: string) {
    super(
      `this idempotency key was used before with another request; it made job ${jobId}. Use a new key for a new request.`,
    );
  }
}

/** A document of the request cannot be taken. Nothing of the request was stored. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
  readonly code = 'document_refused';
}
