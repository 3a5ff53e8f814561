import { createPool } from '@phaseline/event-store';
import { logDatabase } from '../audit/log-database.js';
import type { CommandContext } from '../command/command-context.js';

type Pool = ReturnType<typeof createPool>;

/** Runs with connections to the database that holds the log, told by DATABASE_URL or of the local stack. */
export async function withLogPool<Result>(
  context: CommandContext,
  use: (pool: Pool, database: string) => Promise<Result>,
): Promise<Result> {
  const database = await logDatabase(context);
  try {
    const pool = createPool(database.url, { max: 8, applicationName: 'phaseline-projections' });
    try {
      return await use(pool, database.name);
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}
