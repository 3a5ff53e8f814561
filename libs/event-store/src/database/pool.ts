import pg from 'pg';

export interface PoolOptions {
  /** Maximum number of connections; default 10. A Subscription with transactions needs one per active partition. */
  readonly max?: number;
  /** Application name in pg_stat_activity. */
  readonly applicationName?: string;
  /**
   * Maximum time to wait for the result of a statement in milliseconds; default unlimited. If the network drops packets silently, a
   * connection can otherwise hang for hours.
   */
  readonly queryTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onError?: (error: Error) => void;
}

/** Longer than a busy server needs to accept a connection, and short enough for a person who waits. */
const CONNECT_TIMEOUT_MS = 10_000;

/** After this time the server ends an idle transaction, because it keeps its locks and holds back every tail of the log. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/** Creates a connection pool for a service. The caller ends it (`pool.end()`) after closing everything that uses it. */
export function createPool(url: string, options: PoolOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'phaseline',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  });
  // Without this listener, Node would end the process.
  pool.on('error', (error) => options.onError?.(error));
  // The pool handles errors of idle connections only. Without this listener, a connection that breaks between two queries of a
  // transaction would end the process. The next query on it fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
