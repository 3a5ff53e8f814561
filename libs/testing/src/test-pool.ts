import pg from 'pg';

/**
 * A pool for a spec. It does not mind that its connections are ended: `drop` of the database ends those that are still
 * closing, and without a listener that would be an error nobody caught.
 */
export function testPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  // Of a connection in use, too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
