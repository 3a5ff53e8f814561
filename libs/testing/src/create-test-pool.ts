import pg from 'pg';

/**
 * Creates a pool for a spec. It ignores connection errors: dropping the database terminates connections that are still closing, and
 * without a listener that would be an unhandled error.
 */
export function createTestPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  // The pool's listener does not receive errors of connections in use.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
