import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { PublicKey } from '../key/audit-key.js';
import { readKeys, readSeals } from './read-seals.js';
import { readReceipt, receiptOf, ReceiptUnusable, type Receipt } from './receipt.js';
import type { Seal } from './seal.js';

/** The file in the folder of receipts: one receipt a line, oldest first. */
export const RECEIPTS_FILE = 'receipts.jsonl';

const SEALS_PER_PAGE = 1_000;

export interface KeptReceipts {
  /** How many were added. */
  readonly added: number;
  /**
   * The newest receipt of the folder, when the log does not hold that seal any more: then seals were removed or made again, and
   * `phaseline audit verify` names them.
   */
  readonly contradicted: Seal | undefined;
}

/**
 * Appends a receipt of every seal that is newer than the last receipt in the folder, each in one write that is on disk before this
 * returns. What is there is never changed. Several services may share a folder: a receipt that is there twice says the same.
 * @throws the errors of the file system, ReceiptUnusable, those of the database
 */
export async function keepReceipts(pool: pg.Pool, folder: string): Promise<KeptReceipts> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, RECEIPTS_FILE);
  const kept = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  const newest = newestIn(kept, path);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    const keys = new Map<string, PublicKey>((await readKeys(client)).map((key) => [key.keyId, key]));
    const [same] = newest ? await readSeals(client, newest.number - 1, 1) : [];
    const contradicted = newest && (same?.number !== newest.number || same.hash !== newest.hash) ? newest : undefined;
    // A line that a full disk or a crash cut short is ended first, so that it spoils no other one.
    if (kept !== '' && !kept.endsWith('\n')) await file.appendFile('\n');
    let added = 0;
    for (let after = newest?.number ?? 0; ;) {
      const page = await readSeals(client, after, SEALS_PER_PAGE);
      const lines = page.flatMap((seal) => {
        const key = keys.get(seal.keyId);
        return key ? [`${JSON.stringify(receiptOf(seal, key))}\n`] : [];
      });
      if (lines.length > 0) await file.appendFile(lines.join(''));
      added += lines.length;
      after = page.at(-1)?.number ?? after;
      if (page.length < SEALS_PER_PAGE) break;
    }
    if (added > 0) await file.datasync();
    return { added, contradicted };
  } finally {
    client?.release();
    await file.close();
  }
}

/** The receipts in a file (one receipt, or one a line) or in the files of a folder. Throws ReceiptUnusable, and the errors of the file system. */
export async function readReceipts(path: string): Promise<Seal[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.jsonl?$/.test(name)).sort() : [];
  const paths = isFolder ? names.map((name) => join(path, name)) : [path];
  const seals: Seal[] = [];
  for (const file of paths) seals.push(...sealsIn(await readFile(file, 'utf8'), file));
  return seals;
}

function sealsIn(text: string, path: string): Seal[] {
  // A receipt by itself is indented JSON, and one of several is a line.
  if (isJson(text)) return [readReceipt(text).seal];
  return linesOf(text).flatMap(({ line, number }) => {
    // Cut short by a crash or a full disk; the same seal follows on the next line.
    if (!isJson(line)) return [];
    try {
      return [readReceipt(line).seal];
    } catch (cause) {
      throw new ReceiptUnusable(`line ${number} of ${path}: ${(cause as Error).message}`, { cause });
    }
  });
}

function newestIn(text: string, path: string): Seal | undefined {
  const lines = linesOf(text);
  // The last line may have been cut short; the one before it was written in full.
  for (const { line } of lines.slice(-2).reverse()) if (isJson(line)) return (JSON.parse(line) as Receipt).seal;
  if (lines.length > 0) throw new ReceiptUnusable(`${path} holds something that is no receipt`);
  return undefined;
}

function linesOf(text: string): { readonly line: string; readonly number: number }[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
