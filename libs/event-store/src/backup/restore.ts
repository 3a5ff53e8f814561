import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { mapDatabaseError } from '../database/database-errors.js';
import { defaultMigrationsDirectory, readMigrationFiles } from '../migrations/migration-files.js';
import { migrate } from '../migrations/migrate.js';
import type { CopyProgress } from './back-up.js';
import { BackupUnusable, RestoreRefused } from './backup-errors.js';
import { fileOfTable, readManifest, type BackupManifest } from './backup-manifest.js';
import { backupTables, copyTarget, type SchemaTable } from './backup-tables.js';

export interface RestoreOptions {
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** One plain line for each part of the work. */
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

/** Transactions that a server is taken through at most, so that its ids go on where the backup's end: some minutes. */
const MAX_SKIPPED_TRANSACTIONS = 200_000_000n;
const SKIPPED_PER_STATEMENT = 20_000n;

/**
 * Fills an empty database from a backup. Every byte of the backup is checked before anything is written, and the rows come in
 * one transaction: all or none. `database` is a URL of the owner of the schema, or of one who may create it; a function is
 * called once the backup is known to be whole, so that no database is made for one that cannot be restored.
 * Throws BackupUnusable, RestoreRefused, DatabaseUnreachable, the database's errors, or the signal's reason.
 */
export async function restoreBackup(
  database: string | (() => Promise<string>),
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { folder, signal, onStep = () => {} } = options;
  const manifest = await readManifest(folder);
  const known = await knownMigrations(manifest);
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
    await refuseUsed(client);
    await reachTransaction(client, manifest.nextTransactionId, { signal, onStep });
    onStep('making the schema');
    await migrateTo(databaseUrl, known);
    const schema = tablesFor(manifest, await backupTables(client));
    await client.query('BEGIN');
    let bytes = 0;
    for (const [index, table] of schema.entries()) {
      signal?.throwIfAborted();
      const { rows } = manifest.tables.find(({ name }) => name === table.name)!;
      const copied = await copyTable(client, table, join(folder, fileOfTable(table.name)), signal, (more) => {
        bytes += more;
        options.onProgress?.({ table: table.name, number: index + 1, tables: schema.length, bytes });
      });
      if (copied !== rows)
        throw new BackupUnusable(`${fileOfTable(table.name)} holds ${copied} rows, and the manifest names ${rows}`);
    }
    for (const { name, identities } of schema)
      for (const column of identities) await continueCounting(client, name, column);
    await client.query('COMMIT');
    // What this release adds to the schema of the backup.
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
    // Ends a transaction that is still open.
    await client.end().catch(() => undefined);
  }
}

async function checkFile(folder: string, { name, bytes, sha256 }: BackupManifest['tables'][number]): Promise<void> {
  const file = join(folder, fileOfTable(name));
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw damaged(folder, `${fileOfTable(name)} is missing`);
  if (found.size !== bytes)
    throw damaged(folder, `${fileOfTable(name)} has ${found.size} bytes, and ${bytes} were written`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  if (hash.digest('hex') !== sha256) throw damaged(folder, `${fileOfTable(name)} is not what was written`);
}

function damaged(folder: string, what: string): BackupUnusable {
  return new BackupUnusable(
    `The backup in ${folder} is damaged or was altered: ${what}. Nothing was written; restore from another one.`,
  );
}

/** Names of the migrations that the database of the backup had. Throws BackupUnusable for one that this release does not know. */
async function knownMigrations({ migrations }: BackupManifest): Promise<readonly string[]> {
  const own = new Map((await readMigrationFiles()).map(({ name, hash }) => [name, hash]));
  const unknown = migrations.filter(({ name, hash }) => own.get(name) !== hash);
  if (unknown.length > 0)
    throw new BackupUnusable(
      `the backup is of a database with ${unknown.map(({ name }) => name).join(', ')}, which this release does not know. Restore it with the release that wrote it, or a later one`,
    );
  return migrations.map(({ name }) => name);
}

/** A schema of the state in which the backup was made. */
async function migrateTo(databaseUrl: string, names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-migrations-'));
  try {
    for (const name of names) await copyFile(join(defaultMigrationsDirectory, name), join(folder, name));
    await migrate(databaseUrl, { directory: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Throws RestoreRefused unless the database holds nothing that a backup would bring. */
async function refuseUsed(client: pg.Client): Promise<void> {
  for (const { name } of await backupTables(client)) {
    const { rows } = await client.query<{ used: boolean }>(
      `SELECT EXISTS (SELECT FROM phaseline.${pg.escapeIdentifier(name)}) AS used`,
    );
    if (rows[0]?.used)
      throw new RestoreRefused(
        `The database is not empty: phaseline.${name} has rows. Restore into a new one; nothing was written.`,
      );
  }
}

function tablesFor(manifest: BackupManifest, schema: readonly SchemaTable[]): readonly SchemaTable[] {
  const names = new Set(manifest.tables.map(({ name }) => name));
  const missing = schema.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const unknown = [...names].filter((name) => !schema.some((table) => table.name === name));
  if (missing.length + unknown.length > 0)
    throw new BackupUnusable(
      `the backup does not fit its own schema: ${[...missing.map((name) => `${name} is missing`), ...unknown.map((name) => `${name} is unknown`)].join(', ')}`,
    );
  // In the order of this schema, with the columns of the backup.
  return schema.map((table) => ({
    ...table,
    columns: manifest.tables.find(({ name }) => name === table.name)!.columns,
  }));
}

/**
 * Takes the server's transaction ids past those of the backup. Events are read in the order of their transactions, and seals and
 * checkpoints name transactions: in a server whose ids are lower, restored events would count as not committed yet, and new ones as
 * read long ago.
 */
async function reachTransaction(
  client: pg.Client,
  wanted: string,
  { signal, onStep }: { readonly signal: AbortSignal | undefined; readonly onStep: (line: string) => void },
): Promise<void> {
  const next = async (): Promise<bigint> => {
    const { rows } = await client.query<{ next: string }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS next',
    );
    return BigInt(rows[0]!.next);
  };
  const gap = BigInt(wanted) - (await next());
  if (gap <= 0n) return;
  if (gap > MAX_SKIPPED_TRANSACTIONS)
    throw new RestoreRefused(
      `The backup ends ${gap} transactions ahead of this server, too far to take it there. Stop the server, run \`pg_resetwal --next-transaction-id\` as docs/backup.md says, and restore again. Nothing was written.`,
    );
  onStep(`taking the server's transaction ids ${gap.toLocaleString('en-US')} further`);
  await client.query('SET synchronous_commit = off');
  for (let left = gap; left > 0n; left = BigInt(wanted) - (await next())) {
    signal?.throwIfAborted();
    const count = left < SKIPPED_PER_STATEMENT ? left : SKIPPED_PER_STATEMENT;
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
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      onBytes(chunk.byteLength);
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(file), createGunzip(), counted, target, signal ? { signal } : {});
  return target.rowCount;
}

async function continueCounting(client: pg.Client, table: string, column: string): Promise<void> {
  const name = `phaseline.${pg.escapeIdentifier(table)}`;
  await client.query(
    `SELECT setval(pg_get_serial_sequence($1, $2), max) FROM (SELECT max(${pg.escapeIdentifier(column)}) FROM ${name}) AS m
     WHERE max IS NOT NULL`,
    [name, column],
  );
}
