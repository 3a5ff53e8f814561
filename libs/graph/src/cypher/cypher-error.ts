/** A query that cannot be run. The message goes to the model and says what to do instead. */
export class CypherError extends Error {
  override readonly name = 'CypherError';
  constructor(
    /** Stable code in snake_case. */
    readonly code:
      'syntax' | 'unsupported' | 'read_only' | 'too_broad' | 'bad_value' | 'missing_parameter' | 'still_connected',
    message: string,
  ) {
    super(message);
  }
}
