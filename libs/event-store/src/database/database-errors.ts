import pg from 'pg';

/** The database cannot be talked to now. Passing: try again later. Whether a write under way was committed is not known. */
export class DatabaseUnreachable extends Error {
  readonly code = 'DATABASE_UNREACHABLE';
  override readonly name = 'DatabaseUnreachable';

  constructor(cause: unknown, where?: string) {
    const reason = reasonOf(cause);
    super(
      `the database${where === undefined ? '' : ` at ${where}`} cannot be reached: ${reason}. Check that it is running and that DATABASE_URL is right`,
      { cause },
    );
  }
}

/** Refused, reset, unknown host, timed out: what Node says of a socket. */
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Shutdown, crash, starting up, too many clients, read-only (a standby after a failover). Class 08 is added below. */
const serverStates = new Set(['57P01', '57P02', '57P03', '53300', '25006']);

/** node-postgres gives these no code. */
const clientMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** True when the failure is one of the connection and not of what was asked. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnreachable) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (error instanceof pg.DatabaseError)
    return typeof code === 'string' && (serverStates.has(code) || code.startsWith('08'));
  return (typeof code === 'string' && socketErrors.has(code)) || clientMessages.test(error.message);
}

/** DatabaseUnreachable for a failed connection; anything else as it is. */
export function mapDatabaseError(error: unknown): unknown {
  return isUnreachable(error) && !(error instanceof DatabaseUnreachable) ? new DatabaseUnreachable(error) : error;
}

/** SQLSTATE of an error of the server. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // An AggregateError (every address of a host refused) has an empty message.
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}
