import pg from 'pg';
import { MigrationChanged, MigrationFailed } from './migration-errors.js';
import { readMigrationFiles, type MigrationFile } from './migration-files.js';

export interface MigrateOptions {
  /** Folder of `.sql` files; default: `migrations/` at the root of the repository. */
  readonly directory?: string;
  /** Called with a message for each applied file. */
  readonly log?: (line: string) => void;
}

/** Key of the advisory lock that serialises migrations. The value is arbitrary, but must be the same in every release. */
const MIGRATION_LOCK = 7_406_318_255;

/**
 * Migrates a database: runs all files that have not run yet in order, each in its own transaction. Safe to call from several processes
 * concurrently: the later ones wait and then have nothing to do.
 *
 * `connectionString` must belong to the owner of the schema (for an empty database: to a role that may create schemas and roles).
 * Throws MigrationChanged if an applied file was edited, and MigrationFailed if SQL fails.
 * Applied migrations without a file are ignored, so that an older release can still start.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  const files = await readMigrationFiles(options.directory);
  const client = new pg.Client({ connectionString, application_name: 'phaseline-migrate' });
  await client.connect();
  try {
    // A session lock, because it must outlive the transaction of each file. Closing the connection releases it.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await readAppliedHashes(client);
    for (const file of files) {
      const hash = applied.get(file.name);
      if (hash !== undefined && hash !== file.hash) throw new MigrationChanged(file.name);
    }
    const pending = files.filter((file) => !applied.has(file.name));
    for (const file of pending) {
      await applyFile(client, file);
      options.log?.(`applied migration ${file.name}`);
    }
    return { applied: pending.map((file) => file.name) };
  } finally {
    await client.end();
  }
}

/** Reads the applied migrations, as hashes by name. Creates their table if necessary. */
async function readAppliedHashes(client: pg.Client): Promise<Map<string, string>> {
  await client.query(`
    SET client_min_messages = warning;
    CREATE SCHEMA IF NOT EXISTS phaseline;
    CREATE TABLE IF NOT EXISTS phaseline.migrations (
      name       text PRIMARY KEY,
      hash       text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const { rows } = await client.query<{ name: string; hash: string }>('SELECT name, hash FROM phaseline.migrations');
  return new Map(rows.map((row) => [row.name, row.hash]));
}

async function applyFile(client: pg.Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(file.sql);
    await client.query('INSERT INTO phaseline.migrations (name, hash) VALUES ($1, $2)', [file.name, file.hash]);
    await client.query('COMMIT');
  } catch (error) {
    // Ignore a failed rollback: a broken connection has rolled back by itself, and the first error is the cause.
    await client.query('ROLLBACK').catch(() => undefined);
    throw new MigrationFailed(file.name, error);
  }
}
