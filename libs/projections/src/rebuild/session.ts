import type pg from 'pg';

/** Runs `use` with a connection whose time zone is UTC, as `readJobs` requires. */
export async function withUtcSession<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`SET timezone = 'UTC'`);
    return await use(client);
  } finally {
    // Do not return it to the pool: other users expect the default time zone.
    client.release(true);
  }
}

/** Runs a part of a transaction, which is rolled back when it throws. */
export async function runInSavepoint(client: pg.PoolClient, use: () => Promise<void>): Promise<void> {
  await client.query('SAVEPOINT part');
  try {
    await use();
    await client.query('RELEASE SAVEPOINT part');
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part').catch(() => undefined);
    throw error;
  }
}

/** Runs `use` in a transaction, which is rolled back when it throws. */
export async function runInTransaction<Result>(
  client: pg.PoolClient,
  begin: string,
  use: () => Promise<Result>,
): Promise<Result> {
  await client.query(begin);
  try {
    const result = await use();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A broken connection has rolled back by itself, and the first error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
