import pg from 'pg';
import { MigrationChanged, MigrationFailed } from './migration-errors.js';
import { readMigrationFiles, type MigrationFile } from './migration-files.js';

export interface MigrateOptions {
  /** Folder of `.sql` files; default: `migrations/` at the root of the repository. */
  readonly directory?: string;
  /** Called with one plain line for each file that is applied. */
  readonly log?: (line: string) => void;
}

/** Any fixed number: it only has to be the same in every process that migrates. */
const MIGRATION_LOCK = 7_406_318_255;

/**
 * Brings a database up to date: runs every file that has not run yet, in order, each in its own transaction.
 * Safe to call from several processes at once; the later ones wait and then find nothing to do.
 *
 * `connectionString` must belong to the owner of the schema (on an empty database: one who may create schemas and roles).
 * Throws MigrationChanged when an applied file was edited, MigrationFailed when SQL fails.
 * Files that the database knows and the folder does not are left alone, so that an older release can still start.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  const files = await readMigrationFiles(options.directory);
  const client = new pg.Client({ connectionString, application_name: 'phaseline-migrate' });
  await client.connect();
  try {
    // A session lock, because it has to outlive the transaction of each file. It goes with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const known = await knownHashes(client);
    for (const file of files) {
      const hash = known.get(file.name);
      if (hash !== undefined && hash !== file.hash) throw new MigrationChanged(file.name);
    }
    const pending = files.filter((file) => !known.has(file.name));
    for (const file of pending) {
      await apply(client, file);
      options.log?.(`applied migration ${file.name}`);
    }
    return { applied: pending.map((file) => file.name) };
  } finally {
    await client.end();
  }
}

async function knownHashes(client: pg.Client): Promise<Map<string, string>> {
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

async function apply(client: pg.Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(file.sql);
    await client.query('INSERT INTO phaseline.migrations (name, hash) VALUES ($1, $2)', [file.name, file.hash]);
    await client.query('COMMIT');
  } catch (error) {
    // A broken connection has rolled back by itself, and the first error is the one worth telling.
    await client.query('ROLLBACK').catch(() => undefined);
    throw new MigrationFailed(file.name, error);
  }
}
