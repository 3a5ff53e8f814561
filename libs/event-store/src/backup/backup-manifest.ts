import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupUnusable } from './backup-errors.js';

/** A table of a backup. Its rows are in `<name>.copy.gz`, in PostgreSQL's text COPY format, compressed with gzip. */
export interface BackedUpTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Size of the file in bytes, and its SHA-256 in hex. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface BackupManifest {
  readonly format: typeof FORMAT;
  readonly version: 1;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly release: string;
  /** First transaction id after the snapshot, decimal xid8. A restored database must continue from this id. */
  readonly nextTransactionId: string;
  readonly migrations: readonly { readonly name: string; readonly hash: string }[];
  readonly tables: readonly BackedUpTable[];
}

const FORMAT = 'phaseline-backup';
export const MANIFEST_FILE = 'manifest.json';
/** Upper bound for a plausible manifest, which lists only tables and migrations. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const TABLE_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function tableFileName(name: string): string {
  return `${name}.copy.gz`;
}

/** Renders the manifest file: the manifest and the SHA-256 of its JSON, which reveals a truncated or altered file. */
export function renderManifest(manifest: Omit<BackupManifest, 'format' | 'version'>): string {
  const content: BackupManifest = { format: FORMAT, version: 1, ...manifest };
  return `${JSON.stringify({ manifest: content, sha256: hashOf(content) }, null, 2)}\n`;
}

/** Reads and validates the manifest of a backup. Throws BackupUnusable. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const file = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new BackupUnusable(
      isMissing
        ? `${folder} does not contain ${MANIFEST_FILE}, which is written last: it is not a backup, or the backup did not finish. Choose another folder.`
        : `${file} cannot be read: ${(error as Error).message}`,
    );
  }
  if (text.length > MAX_MANIFEST_BYTES) throw new BackupUnusable(`${file} is too large to be a manifest`);
  const { manifest, sha256 } = parseManifest(text, file);
  if (manifest.format !== FORMAT) throw new BackupUnusable(`${file} is not the manifest of a backup`);
  if (hashOf(manifest) !== sha256)
    throw new BackupUnusable(`${file} was altered: its content does not match its SHA-256`);
  if (manifest.version !== 1)
    throw new BackupUnusable(
      `the backup has format version ${String(manifest.version)}, but this release supports only version 1`,
    );
  if (
    !manifest.tables.every(({ name, columns }) => [name, ...columns].every((identifier) => TABLE_NAME.test(identifier)))
  )
    throw new BackupUnusable(`${file} contains an invalid table or column name`);
  return manifest;
}

function parseManifest(text: string, file: string): { manifest: BackupManifest; sha256: unknown } {
  try {
    const { manifest, sha256 } = JSON.parse(text) as { manifest: BackupManifest; sha256: unknown };
    if (typeof manifest !== 'object' || manifest === null) throw new Error('no manifest');
    return { manifest, sha256 };
  } catch {
    throw new BackupUnusable(`${file} is not a valid manifest; it may be truncated`);
  }
}

function hashOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
