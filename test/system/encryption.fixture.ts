import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** One marker word per origin of content; none occurs by chance. */
export const markers = {
  task: 'Zwyntaskquox',
  parameter: 'Zwynparamquox',
  label: 'Zwynlabelquox',
  documentName: 'Zwyndocnamequox',
  document: 'Zwyndoctextquox',
  largeDocument: 'Zwynlargequox',
  phaseName: 'Zwynphasequox',
  todo: 'Zwyntodoquox',
  note: 'Zwynnotequox',
  words: 'Zwynwordsquox',
  fileName: 'Zwynfilequox',
  argument: 'Zwynargumentquox',
  badPath: 'Zwynbadpathquox',
  result: 'Zwynresultquox',
  steering: 'Zwynsteerquox',
  reason: 'Zwynreasonquox',
} as const;
export type Marker = keyof typeof markers;

/** Forms in which a marker may occur in bytes: plain, in hex, and in base64 at any offset. */
const needles: readonly (readonly [Marker, readonly string[]])[] = Object.entries(markers).map(([name, word]) => {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'x'.repeat(offset)}${word}`).toString('base64');
    // The first and last characters depend on the bytes around the word.
    return text.slice(offset === 0 ? 0 : 4, Math.floor(text.length / 4) * 4 - 4);
  });
  return [name as Marker, [word, word.toLowerCase(), Buffer.from(word).toString('hex'), ...base64]] as const;
});

/** Returns the markers that occur in these bytes. */
export function markersIn(bytes: Buffer | string): Set<Marker> {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return new Set(needles.filter(([, forms]) => forms.some((form) => content.includes(form))).map(([name]) => name));
}

/** Places with markers, `place → markers`; empty when there are none. */
export type Findings = Readonly<Record<string, readonly Marker[]>>;

/** Searches every row of every table of a database, including those of the queues, as text; bytes appear in hex. */
export async function searchTables(pool: pg.Pool): Promise<Findings> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const findings: Record<string, Marker[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`);
    const found = new Set(rows.flatMap(({ text }) => [...markersIn(text)]));
    if (found.size > 0) findings[name] = [...found].sort();
  }
  return findings;
}

/** Searches every file below a folder: logs, state, and the files of the database with its write-ahead log. */
export async function searchFolder(folder: string): Promise<Findings> {
  const findings: Record<string, Marker[]> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = markersIn(path);
    // A file may disappear while it is read; the database does that constantly.
    if (entry.isFile()) for (const marker of markersIn(await readFile(path).catch(() => ''))) found.add(marker);
    if (found.size > 0) findings[path.slice(folder.length + 1)] = [...found].sort();
  }
  return findings;
}

/** Returns the markers of the given findings. */
export function found(findings: Findings): readonly Marker[] {
  return [...new Set(Object.values(findings).flat())].sort();
}
