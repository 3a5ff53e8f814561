import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupUnusable } from './backup-errors.js';

/** One table of a backup. Its rows lie in `<name>.copy.gz`: text COPY, compressed. */
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
  /** First transaction id that the snapshot does not hold: a database may only go on from there. Decimal xid8. */
  readonly nextTransactionId: string;
  readonly migrations: readonly { readonly name: string; readonly hash: string }[];
  readonly tables: readonly BackedUpTable[];
}

const FORMAT = 'phaseline-backup';
export const MANIFEST_FILE = 'manifest.json';
/** It names tables and migrations; far below this. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const TABLE_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function fileOfTable(name: string): string {
  return `${name}.copy.gz`;
}

/** The text of the manifest file: the manifest and the SHA-256 of its JSON, so that a cut or altered one is noticed. */
export function renderManifest(manifest: Omit<BackupManifest, 'format' | 'version'>): string {
  const whole: BackupManifest = { format: FORMAT, version: 1, ...manifest };
  return `${JSON.stringify({ manifest: whole, sha256: hashOf(whole) }, null, 2)}\n`;
}

/** Throws BackupUnusable. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const file = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new BackupUnusable(
      missing
        ? `${folder} holds no ${MANIFEST_FILE}, which is written last: it is no backup, or one that did not end. Give the folder of another one.`
        : `${file} cannot be read: ${(error as Error).message}`,
    );
  }
  if (text.length > MAX_MANIFEST_BYTES) throw new BackupUnusable(`${file} is far too large for a manifest`);
  const { manifest, sha256 } = parsed(text, file);
  if (manifest.format !== FORMAT) throw new BackupUnusable(`${file} is not the manifest of a backup`);
  if (hashOf(manifest) !== sha256) throw new BackupUnusable(`${file} is not what was written`);
  if (manifest.version !== 1)
    throw new BackupUnusable(`the backup has format ${String(manifest.version)}, and this release knows format 1`);
  if (!manifest.tables.every(({ name, columns }) => [name, ...columns].every((one) => TABLE_NAME.test(one))))
    throw new BackupUnusable(`${file} names a table or column that cannot be`);
  return manifest;
}

function parsed(text: string, file: string): { manifest: BackupManifest; sha256: unknown } {
  try {
    const { manifest, sha256 } = JSON.parse(text) as { manifest: BackupManifest; sha256: unknown };
    if (typeof manifest !== 'object' || manifest === null) throw new Error('no manifest');
    return { manifest, sha256 };
  } catch {
    throw new BackupUnusable(`${file} is not JSON as it was written; it may be cut`);
  }
}

function hashOf(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
