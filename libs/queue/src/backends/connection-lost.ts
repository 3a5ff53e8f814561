/**
 * A lost connection, in the only form that makes BullMQ wait before it retries. After any other error its worker retries in a tight
 * loop, or treats a message as failed although its handler succeeded.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'ECONNREFUSED';

  constructor(cause: Error) {
    super(cause.message || 'connection refused', { cause });
  }
}

const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** SQLSTATEs: class 08 (connection errors); 57P01–57P05 (shutdown, crash, starting up, database dropped, idle timeout); 53300 (too many connections). */
const serverErrors = /^(08...|57P0[1-5]|53300)$/;
/** Messages of errors without a code: of `pg`, then of `ioredis`. */
const driverErrors =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Connection is closed|max retries per request|Command timed out/;

/** Converts an error that means the server cannot be reached to ConnectionLost. Returns undefined for any other error. */
export function toConnectionLost(error: unknown): ConnectionLost | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return socketErrors.has(code) || serverErrors.test(code) || driverErrors.test(error.message)
    ? new ConnectionLost(error)
    : undefined;
}
