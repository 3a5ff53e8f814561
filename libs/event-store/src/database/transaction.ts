import type pg from 'pg';
import { mapDatabaseError, throwDatabaseError } from './database-errors.js';

/**
 * A READ ONLY transaction has no transaction id, so it does not hold back the tail of the log. No timeout, because the
 * work between two queries may take long.
 */
const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0';

/** Runs work on one connection in a transaction, and commits it. Throws what the work throws, and DatabaseUnreachable. */
export async function runInTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
  begin = 'BEGIN',
): Promise<Result> {
  const client = await pool.connect().catch(throwDatabaseError);
  let isBroken = true;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    throw mapDatabaseError(error);
  } finally {
    // Destroy a connection in an unknown state: its transaction may be open, and results may be unread.
    client.release(isBroken);
  }
}

/** Runs work that reads one snapshot of the database, on one connection. Throws what the work throws, and DatabaseUnreachable. */
export function runInSnapshot<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return runInTransaction(pool, work, BEGIN_SNAPSHOT);
}
