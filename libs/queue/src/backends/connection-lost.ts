/**
 * A connection error in the one shape that BullMQ takes as "wait a little and try again". Any other error makes its worker try
 * again at once, without end, or take a message for failed whose handler has succeeded.
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
/** Class 08 and: shut down by the administrator, crashed, starting up, database dropped, session timed out, too many connections. */
const serverErrors = /^(08...|57P0[1-5]|53300)$/;
/** What `pg` throws without a code, then what `ioredis` does. */
const driverErrors =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Connection is closed|max retries per request|Command timed out/;

/** The error as ConnectionLost when it says that the server cannot be reached, otherwise undefined. */
export function asConnectionLost(error: unknown): ConnectionLost | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return socketErrors.has(code) || serverErrors.test(code) || driverErrors.test(error.message)
    ? new ConnectionLost(error)
    : undefined;
}
