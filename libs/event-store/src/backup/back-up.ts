import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { mapDatabaseError } from '../database/database-errors.js';
import { RELEASE } from '../release.js';
import { BackupUnusable } from './backup-errors.js';
import { fileOfTable, MANIFEST_FILE, renderManifest, type BackedUpTable } from './backup-manifest.js';
import { backupTables, copySource, type SchemaTable } from './backup-tables.js';

export interface CopyProgress {
  readonly table: string;
  /** This table and all, from 1. */
  readonly number: number;
  readonly tables: number;
  /** Uncompressed bytes of all tables so far. */
  readonly bytes: number;
}

export interface BackUpOptions {
  /** A folder that does not exist yet, or is empty. */
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
  /** Size of the files. */
  readonly bytes: number;
}

/**
 * Writes all that the database holds and that the log cannot give back into a folder: one snapshot, so that a system that
 * goes on writing is neither held up nor torn. The manifest is written last; a folder without one is no backup.
 * Throws BackupUnusable, DatabaseUnreachable, the database's errors, or the signal's reason.
 */
export async function backUp(databaseUrl: string, options: BackUpOptions): Promise<BackupSummary> {
  const { folder, signal } = options;
  await freshFolder(folder);
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
    const schema = await backupTables(client);
    const tables: BackedUpTable[] = [];
    let bytes = 0;
    for (const [index, table] of schema.entries()) {
      signal?.throwIfAborted();
      const file = join(folder, fileOfTable(table.name));
      written.push(file);
      tables.push(
        await copyTable(client, table, file, signal, (more) => {
          bytes += more;
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

async function freshFolder(folder: string): Promise<void> {
  // Documents, prompts and wrapped keys lie in it.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new BackupUnusable(`${folder} is not empty. Give a new folder for each backup.`);
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
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      onBytes(chunk.byteLength);
      done(null, chunk);
    },
  });
  const hashed = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  // Level 1: most of the gain, for a fraction of the time.
  await pipeline(
    source,
    counted,
    createGzip({ level: 1 }),
    hashed,
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
