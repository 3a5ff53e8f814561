import { CodedError } from '@phaseline/basics';
import pg from 'pg';

/** The database cannot be reached. A transient error: retry later. It is unknown whether a running write was committed. */
export class DatabaseUnreachable extends CodedError {
  readonly code = 'database_unreachable';

  constructor(cause: unknown, where?: string) {
    const reason = reasonOf(cause);
    super(
      `the database${where === undefined ? '' : ` at ${where}`} cannot be reached: ${reason}. Check that it is running and that DATABASE_URL is correct`,
      { cause },
    );
  }
}

/** Socket errors of Node that mean that the connection failed. */
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SQL states for shutdown, crash, startup, too many clients, and read-only (a standby after failover). Class 08 is checked below. */
const UNREACHABLE_STATES = new Set(['57P01', '57P02', '57P03', '53300', '25006']);

/** Errors of node-postgres that have no code. */
const CLIENT_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** Whether the connection failed, as opposed to the query. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnreachable) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (error instanceof pg.DatabaseError)
    return typeof code === 'string' && (UNREACHABLE_STATES.has(code) || code.startsWith('08'));
  return (typeof code === 'string' && SOCKET_ERRORS.has(code)) || CLIENT_MESSAGES.test(error.message);
}

/** Converts connection errors to DatabaseUnreachable; returns other errors unchanged. */
export function mapDatabaseError(error: unknown): unknown {
  return isUnreachable(error) && !(error instanceof DatabaseUnreachable) ? new DatabaseUnreachable(error) : error;
}

/** Throws an error as `mapDatabaseError` converts it. Pass it to `catch` of a promise. */
export function throwDatabaseError(error: unknown): never {
  throw mapDatabaseError(error);
}

/** Returns the SQLSTATE of a server error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // An AggregateError (all addresses of a host refused the connection) has an empty message.
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}
