import pg from 'pg';

export interface PoolOptions {
  /** Most connections at once; default 10. A Subscription with transactions wants one a partition at work. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /**
   * Longest time that a statement may go without its answer, in milliseconds; default: any. A network that swallows what is sent
   * ends no connection for hours, and whoever waits on one would stand still as long.
   */
  readonly queryTimeoutMs?: number;
  /** Told when an idle connection breaks. The pool replaces it by itself; without a listener Node would end the process. */
  readonly onError?: (error: Error) => void;
}

/** How long a connection may take to be made, in milliseconds: longer than a busy server needs, shorter than a person waits. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A transaction that nobody goes on with holds its locks, and holds back every tail of the log.
 * The server ends it after this time.
 */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** A pool for the services. The caller ends it (`pool.end()`) after everything that uses it is closed. */
export function createPool(url: string, options: PoolOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'phaseline',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  });
  pool.on('error', (error) => options.onError?.(error));
  // The pool listens to idle connections only. One that breaks while a transaction holds it, between two queries, would
  // end the process; the next query on it fails, which is where that belongs.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
