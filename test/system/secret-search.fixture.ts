import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** Returns a value that nothing else contains. */
const canary = (name: string): string => `${name}-${randomBytes(12).toString('hex')}`;
/** Values that must be found nowhere, by name. Specs add those that the system makes. */
export const secrets: Record<string, string> = {
  token: canary('token/of+job'),
  modelKey: canary('model-key'),
  apiKey: canary('api-key'),
  clientSecret: canary('client-secret'),
  urlPassword: canary('url-password'),
  databasePassword: canary('database-password'),
};

/** Forms of a value that are searched for. */
function formsOf(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${value}`).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, Math.floor(text.length / 4) * 4 - 4);
  });
  return [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    JSON.stringify(value).slice(1, -1),
    ...base64,
  ];
}

/** Returns the names of the secrets that a text contains in any usual encoding. */
export function secretsIn(content: Buffer | string): readonly string[] {
  const bytes = Buffer.from(content as string);
  return Object.keys(secrets).filter((name) => formsOf(secrets[name]!).some((form) => bytes.includes(form)));
}

/** Returns the tables that contain secrets, with their names. */
export async function searchTables(pool: pg.Pool): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const findings: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`);
    const found = [...new Set(rows.flatMap(({ text }) => secretsIn(text)))];
    if (found.length > 0) findings[name] = found;
  }
  return findings;
}

/** Files that contain a key on purpose, for the owner of the local system alone. */
export const KEY_FILES = ['master-key', 'state.json'];

/**
 * Searches logs, mirrors and state of the services, except the files of keys. The working folders of commands are left out: a command may
 * write the secrets that it declares into its own folder.
 */
export async function searchFolder(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const findings: Record<string, readonly string[]> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || KEY_FILES.includes(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(folder, 'work/'))) continue;
    const found = secretsIn(await readFile(path).catch(() => ''));
    if (found.length > 0) findings[path.slice(folder.length + 1)] = found;
  }
  return findings;
}
