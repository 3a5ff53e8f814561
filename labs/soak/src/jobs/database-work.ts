import type { createPool } from '@phaseline/event-store';

/** What the database has done since its statistics began. Connections report their last second late. */
export interface DatabaseWork {
  readonly commits: number;
  /** Rows that scans of tables and indexes returned. */
  readonly rows: number;
  /** Accesses to pages of 8 KiB, in memory or on disk. */
  readonly pages: number;
}

/** Reads the statistics of the database. */
export async function readDatabaseWork(pool: ReturnType<typeof createPool>): Promise<DatabaseWork> {
  const { rows } = await pool.query<DatabaseWork>(
    `SELECT xact_commit::float8 AS commits, (tup_returned + tup_fetched)::float8 AS rows, (blks_hit + blks_read)::float8 AS pages
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]!;
}
