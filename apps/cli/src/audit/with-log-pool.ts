import { createPool } from '@phaseline/event-store';
import { openLogDatabase } from './open-log-database.js';
import type { CommandContext } from '../command/command-context.js';

type Pool = ReturnType<typeof createPool>;

/**
 * Opens a connection pool to the database of the log (DATABASE_URL, else the local stack) for the duration of `use`. The database shows
 * `applicationName` to its administrators.
 */
export async function withLogPool<Result>(
  context: CommandContext,
  applicationName: string,
  use: (pool: Pool, database: string) => Promise<Result>,
): Promise<Result> {
  const database = await openLogDatabase(context);
  try {
    const pool = createPool(database.url, { max: 8, applicationName });
    try {
      return await use(pool, database.name);
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}
