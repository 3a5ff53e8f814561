import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { mapDatabaseError } from '../database/database-errors.js';
import { RELEASE } from '../release.js';
import { BackupUnusable } from './backup-errors.js';
import { tableFileName, MANIFEST_FILE, renderManifest, type BackedUpTable } from './backup-manifest.js';
import { createTap } from './tap.js';
import { readBackupTables, copySource, type SchemaTable } from './backup-tables.js';

export interface CopyProgress {
  readonly table: string;
  /** Number of the current table, from 1. */
  readonly number: number;
  readonly tables: number;
  /** Uncompressed bytes copied so far, over all tables. */
  readonly bytes: number;
}

export interface BackUpOptions {
  /** A folder that is empty or does not exist yet. */
  readonly folder: string;
  readonly now: () => Date;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface BackupSummary {
  readonly folder: string;
  readonly tables: number;
  readonly rows: number;
  readonly events: number;
  /** Total size of the files in bytes. */
  readonly bytes: number;
}

/**
 * Writes a backup of the database into a folder, without the tables that can be rebuilt from the log. Reads one snapshot, so the backup
 * is consistent and does not block a running system. The manifest is written last; a folder without it is not a backup.
 * Throws BackupUnusable, DatabaseUnreachable, database errors, or the signal's reason.
 */
export async function backUp(databaseUrl: string, options: BackUpOptions): Promise<BackupSummary> {
  const { folder, signal } = options;
  await createFolder(folder);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'phaseline-backup' });
  client.on('error', () => undefined);
  const written: string[] = [];
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: snapshot } = await client.query<{ next: string }>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
    );
    const { rows: migrations } = await client.query<{ name: string; hash: string }>(
      'SELECT name, hash FROM phaseline.migrations ORDER BY name',
    );
    const schema = await readBackupTables(client);
    const tables: BackedUpTable[] = [];
    let bytes = 0;
    for (const [index, table] of schema.entries()) {
      signal?.throwIfAborted();
      const file = join(folder, tableFileName(table.name));
      written.push(file);
      tables.push(
        await copyTable(client, table, file, signal, (copiedBytes) => {
          bytes += copiedBytes;
          options.onProgress?.({ table: table.name, number: index + 1, tables: schema.length, bytes });
        }),
      );
    }
    await client.query('COMMIT');
    const manifest = join(folder, MANIFEST_FILE);
    written.push(manifest);
    await writeDurably(
      manifest,
      renderManifest({
        createdAt: options.now().toISOString(),
        release: RELEASE,
        nextTransactionId: snapshot[0]!.next,
        migrations,
        tables,
      }),
    );
    return {
      folder,
      tables: tables.length,
      rows: tables.reduce((sum, table) => sum + table.rows, 0),
      events: tables.find(({ name }) => name === 'events')?.rows ?? 0,
      bytes: tables.reduce((sum, table) => sum + table.bytes, 0),
    };
  } catch (error) {
    await Promise.all(written.map((file) => rm(file, { force: true })));
    throw mapDatabaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createFolder(folder: string): Promise<void> {
  // Readable only by the owner: a backup contains documents, prompts and wrapped keys.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new BackupUnusable(`${folder} is not empty. Use a new folder for each backup.`);
}

async function copyTable(
  client: pg.Client,
  table: SchemaTable,
  file: string,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): Promise<BackedUpTable> {
  const source = client.query(copyTo(`COPY ${copySource(table)} TO STDOUT`));
  const hash = createHash('sha256');
  const counter = createTap((chunk) => onBytes(chunk.byteLength));
  const hasher = createTap((chunk) => hash.update(chunk));
  // Level 1 gives most of the compression in a fraction of the time.
  await pipeline(
    source,
    counter,
    createGzip({ level: 1 }),
    hasher,
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    signal ? { signal } : {},
  );
  await flush(file);
  return {
    name: table.name,
    columns: table.columns,
    rows: source.rowCount,
    bytes: (await stat(file)).size,
    sha256: hash.digest('hex'),
  };
}

async function writeDurably(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  await flush(file);
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
