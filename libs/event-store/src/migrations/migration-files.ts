import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MigrationFolderInvalid } from './migration-errors.js';

export interface MigrationFile {
  /** File name, e.g. `000001_event_log.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hex. */
  readonly hash: string;
}

/** Path of `migrations/` at the root of the repository. The relative path works from both `src` and `dist`. */
export const defaultMigrationsDirectory = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

/** Path of the dump of the migrated schema, which is stored beside the migrations for readers. */
export const SCHEMA_FILE = 'schema.sql';

const FILE_NAME = /^(\d{6})_[a-z0-9_]+\.sql$/;

/** Reads all migrations of a folder, in the order in which they run. */
export async function readMigrationFiles(directory: string = defaultMigrationsDirectory): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql') && name !== SCHEMA_FILE).sort();
  if (names.length === 0) throw new MigrationFolderInvalid(directory, 'contains no .sql file.');
  const numbers = new Set<string>();
  for (const name of names) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined) {
      throw new MigrationFolderInvalid(
        directory,
        `contains ${name}, but names of migrations must look like 000001_event_log.sql.`,
      );
    }
    if (numbers.has(number))
      throw new MigrationFolderInvalid(directory, `contains two migrations with the number ${number}.`);
    numbers.add(number);
  }
  return Promise.all(
    names.map(async (name) => {
      // A checkout with CRLF line endings must not look like an edited file.
      const sql = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, sql, hash: createHash('sha256').update(sql, 'utf8').digest('hex') };
    }),
  );
}
