import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { mapDatabaseError } from '../database/database-errors.js';
import { defaultMigrationsDirectory, readMigrationFiles } from '../migrations/migration-files.js';
import { migrate } from '../migrations/migrate.js';
import type { CopyProgress } from './back-up.js';
import { BackupUnusable, RestoreRefused } from './backup-errors.js';
import { tableFileName, readManifest, type BackupManifest } from './backup-manifest.js';
import { createTap } from './tap.js';
import { readBackupTables, copyTarget, type SchemaTable } from './backup-tables.js';

export interface RestoreOptions {
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Called with a short description at the start of each step. */
  readonly onStep?: (line: string) => void;
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface RestoreSummary {
  readonly tables: number;
  readonly rows: number;
  readonly events: number;
  /** When the backup was made. */
  readonly createdAt: string;
}

/** Maximum number of transaction ids that a restore consumes to reach those of the backup. Takes some minutes. */
const MAX_SKIPPED_TRANSACTIONS = 200_000_000n;
const TRANSACTIONS_PER_STATEMENT = 20_000n;

/**
 * Restores a backup into an empty database. Checks every byte of the backup before it writes anything, and inserts all rows in one
 * transaction. `database` is the URL of the schema owner, or of a role that may create the schema; a function that returns the URL is
 * called after the backup was checked, so that no database is created for an invalid backup.
 * Throws BackupUnusable, RestoreRefused, DatabaseUnreachable, database errors, or the signal's reason.
 */
export async function restoreBackup(
  database: string | (() => Promise<string>),
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { folder, signal, onStep = () => {} } = options;
  const manifest = await readManifest(folder);
  const migrations = await checkMigrations(manifest);
  onStep('checking the backup');
  for (const table of manifest.tables) {
    signal?.throwIfAborted();
    await checkFile(folder, table);
  }
  const databaseUrl = typeof database === 'string' ? database : await database();
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'phaseline-restore' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseNonEmpty(client);
    await advanceTransactionIds(client, manifest.nextTransactionId, { signal, onStep });
    onStep('creating the schema');
    await migrateTo(databaseUrl, migrations);
    const schema = matchTables(manifest, await readBackupTables(client));
    await client.query('BEGIN');
    let bytes = 0;
    for (const [index, table] of schema.entries()) {
      signal?.throwIfAborted();
      const { rows } = manifest.tables.find(({ name }) => name === table.name)!;
      const copied = await copyTable(client, table, join(folder, tableFileName(table.name)), signal, (copiedBytes) => {
        bytes += copiedBytes;
        options.onProgress?.({ table: table.name, number: index + 1, tables: schema.length, bytes });
      });
      if (copied !== rows)
        throw new BackupUnusable(`${tableFileName(table.name)} has ${copied} rows, but the manifest says ${rows}`);
    }
    for (const { name, identities } of schema)
      for (const column of identities) await advanceSequence(client, name, column);
    await client.query('COMMIT');
    // Run the migrations that are newer than the backup.
    await migrate(databaseUrl);
    await client.query('ANALYZE');
    return {
      tables: schema.length,
      rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
      events: manifest.tables.find(({ name }) => name === 'events')?.rows ?? 0,
      createdAt: manifest.createdAt,
    };
  } catch (error) {
    throw mapDatabaseError(error);
  } finally {
    // Closing the connection rolls back a transaction that is still open.
    await client.end().catch(() => undefined);
  }
}

async function checkFile(folder: string, { name, bytes, sha256 }: BackupManifest['tables'][number]): Promise<void> {
  const file = join(folder, tableFileName(name));
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw damagedBackup(folder, `${tableFileName(name)} is missing`);
  if (found.size !== bytes)
    throw damagedBackup(folder, `${tableFileName(name)} has ${found.size} bytes, but the manifest says ${bytes}`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  if (hash.digest('hex') !== sha256) throw damagedBackup(folder, `${tableFileName(name)} does not match its SHA-256`);
}

function damagedBackup(folder: string, problem: string): BackupUnusable {
  return new BackupUnusable(
    `The backup in ${folder} is damaged or was altered: ${problem}. Nothing was written; restore from another backup.`,
  );
}

/** Returns the names of the migrations in the backup. Throws BackupUnusable if this release does not have one of them. */
async function checkMigrations({ migrations }: BackupManifest): Promise<readonly string[]> {
  const own = new Map((await readMigrationFiles()).map(({ name, hash }) => [name, hash]));
  const unknown = migrations.filter(({ name, hash }) => own.get(name) !== hash);
  if (unknown.length > 0)
    throw new BackupUnusable(
      `the backup comes from a database with ${unknown.map(({ name }) => name).join(', ')}, which this release does not have. Restore it with the release that wrote it, or a later one`,
    );
  return migrations.map(({ name }) => name);
}

/** Creates the schema as it was when the backup was made. */
async function migrateTo(databaseUrl: string, names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-migrations-'));
  try {
    for (const name of names) await copyFile(join(defaultMigrationsDirectory, name), join(folder, name));
    await migrate(databaseUrl, { directory: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Throws RestoreRefused if any table that a backup contains has rows. */
async function refuseNonEmpty(client: pg.Client): Promise<void> {
  for (const { name } of await readBackupTables(client)) {
    const { rows } = await client.query<{ used: boolean }>(
      `SELECT EXISTS (SELECT FROM phaseline.${pg.escapeIdentifier(name)}) AS used`,
    );
    if (rows[0]?.used)
      throw new RestoreRefused(
        `The database is not empty: phaseline.${name} has rows. Restore into a new one; nothing was written.`,
      );
  }
}

/** Returns the tables in the order of this schema, with the columns of the backup. Throws BackupUnusable if the tables differ. */
function matchTables(manifest: BackupManifest, schema: readonly SchemaTable[]): readonly SchemaTable[] {
  const names = new Set(manifest.tables.map(({ name }) => name));
  const missing = schema.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const unknown = [...names].filter((name) => !schema.some((table) => table.name === name));
  if (missing.length + unknown.length > 0)
    throw new BackupUnusable(
      `the backup does not match its own schema: ${[...missing.map((name) => `${name} is missing`), ...unknown.map((name) => `${name} is unknown`)].join(', ')}`,
    );
  return schema.map((table) => ({
    ...table,
    columns: manifest.tables.find(({ name }) => name === table.name)!.columns,
  }));
}

/**
 * Advances the transaction ids of the server past those of the backup. Events are read in transaction order, and anchors and
 * checkpoints refer to transactions. On a server with lower ids, restored events would look uncommitted, and readers would skip new
 * events.
 */
async function advanceTransactionIds(
  client: pg.Client,
  target: string,
  { signal, onStep }: { readonly signal: AbortSignal | undefined; readonly onStep: (line: string) => void },
): Promise<void> {
  const readNext = async (): Promise<bigint> => {
    const { rows } = await client.query<{ next: string }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next',
    );
    return BigInt(rows[0]!.next);
  };
  const gap = BigInt(target) - (await readNext());
  if (gap <= 0n) return;
  if (gap > MAX_SKIPPED_TRANSACTIONS)
    throw new RestoreRefused(
      `The backup is ${gap} transactions ahead of this server, too many to advance. Stop the server, run \`pg_resetwal --next-transaction-id\` as described in docs/how-to/backup.md, and restore again. Nothing was written.`,
    );
  onStep(`advancing the server's transaction ids by ${gap.toLocaleString('en-US')}`);
  await client.query('SET synchronous_commit = off');
  for (let left = gap; left > 0n; left = BigInt(target) - (await readNext())) {
    signal?.throwIfAborted();
    const count = left < TRANSACTIONS_PER_STATEMENT ? left : TRANSACTIONS_PER_STATEMENT;
    await client.query(
      `DO $$ BEGIN FOR n IN 1..${count} LOOP PERFORM pg_catalog.pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
  }
  await client.query('SET synchronous_commit = on');
}

async function copyTable(
  client: pg.Client,
  table: SchemaTable,
  file: string,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const target = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN`));
  const counter = createTap((chunk) => onBytes(chunk.byteLength));
  await pipeline(createReadStream(file), createGunzip(), counter, target, signal ? { signal } : {});
  return target.rowCount;
}

/** Sets the sequence of an identity column to its greatest value. */
async function advanceSequence(client: pg.Client, table: string, column: string): Promise<void> {
  const name = `phaseline.${pg.escapeIdentifier(table)}`;
  await client.query(
    `SELECT setval(pg_get_serial_sequence($1, $2), max) FROM (SELECT max(${pg.escapeIdentifier(column)}) FROM ${name}) AS m
     WHERE max IS NOT NULL`,
    [name, column],
  );
}
