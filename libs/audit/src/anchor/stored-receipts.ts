import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { PublicKey } from '../key/audit-key.js';
import { readPublishedKeys, readAnchors } from './read-anchors.js';
import { readReceipt, createReceipt, ReceiptUnusable, type Receipt } from './receipt.js';
import type { Anchor } from './anchor.js';

/** Name of the file in a receipt folder: JSON Lines, one receipt per line, oldest first. */
export const RECEIPTS_FILE = 'receipts.jsonl';

const ANCHORS_PER_PAGE = 1_000;

export interface StoredReceipts {
  /** Number of receipts added. */
  readonly added: number;
  /**
   * The anchor of the newest receipt in the folder, if the log no longer contains it. Then anchors were removed or created again;
   * `phaseline audit verify` lists them.
   */
  readonly contradicted: Anchor | undefined;
}

/**
 * Appends a receipt for every anchor newer than the last receipt in the folder, and flushes them to disk before it returns. Existing
 * receipts never change. Several services can share a folder; duplicate receipts are harmless.
 * @throws file system errors, ReceiptUnusable, database errors
 */
export async function storeReceipts(pool: pg.Pool, folder: string): Promise<StoredReceipts> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, RECEIPTS_FILE);
  const stored = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  const newest = findNewestAnchor(stored, path);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    const keys = new Map<string, PublicKey>((await readPublishedKeys(client)).map((key) => [key.keyId, key]));
    const [inLog] = newest ? await readAnchors(client, newest.number - 1, 1) : [];
    const contradicted = newest && (inLog?.number !== newest.number || inLog.hash !== newest.hash) ? newest : undefined;
    // Terminate a line that a crash or a full disk cut short, so that the next receipt starts on its own line.
    if (stored !== '' && !stored.endsWith('\n')) await file.appendFile('\n');
    let added = 0;
    for (let after = newest?.number ?? 0; ;) {
      const page = await readAnchors(client, after, ANCHORS_PER_PAGE);
      const lines = page.flatMap((anchor) => {
        const key = keys.get(anchor.keyId);
        return key ? [`${JSON.stringify(createReceipt(anchor, key))}\n`] : [];
      });
      if (lines.length > 0) await file.appendFile(lines.join(''));
      added += lines.length;
      after = page.at(-1)?.number ?? after;
      if (page.length < ANCHORS_PER_PAGE) break;
    }
    if (added > 0) await file.datasync();
    return { added, contradicted };
  } finally {
    client?.release();
    await file.close();
  }
}

/** Bytes at the end of a file of receipts that contain its last two lines. */
const TAIL_BYTES = 16_384;

/**
 * Reads the anchor of the newest receipt in a folder, from the end of its file only; undefined if there is none. All older anchors have
 * a receipt, too, because `storeReceipts` leaves none out. The signature is not checked.
 * @throws ReceiptUnusable, file system errors
 */
export async function readNewestReceipt(folder: string): Promise<Anchor | undefined> {
  const path = join(folder, RECEIPTS_FILE);
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return findNewestAnchor(buffer.toString('utf8'), path);
  } finally {
    await file.close();
  }
}

/**
 * Reads the receipts in a file (one receipt, or one per line) or in all files of a folder.
 * @throws ReceiptUnusable, file system errors
 */
export async function readReceipts(path: string): Promise<Anchor[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.jsonl?$/.test(name)).sort() : [];
  const paths = isFolder ? names.map((name) => join(path, name)) : [path];
  const anchors: Anchor[] = [];
  for (const file of paths) anchors.push(...parseAnchors(await readFile(file, 'utf8'), file));
  if (!isFolder && anchors.length === 0) throw new ReceiptUnusable(`${path} does not contain receipts`);
  return anchors;
}

function parseAnchors(text: string, path: string): Anchor[] {
  // A file with a single receipt is indented JSON; otherwise each line is a receipt.
  if (isJson(text)) return [readAnchorAt(path, text)];
  return linesOf(text).flatMap(({ line, number }) => {
    // A crash or a full disk cut this line short. The same anchor follows on the next line.
    return isJson(line) ? [readAnchorAt(`line ${number} of ${path}`, line)] : [];
  });
}

/** Returns the anchor of a receipt. An error names the place where it is. */
function readAnchorAt(place: string, text: string): Anchor {
  try {
    return readReceipt(text).anchor;
  } catch (cause) {
    throw new ReceiptUnusable(`${place}: ${(cause as Error).message}`, { cause });
  }
}

function findNewestAnchor(text: string, path: string): Anchor | undefined {
  const lines = linesOf(text);
  // The last line may be cut short, but the line before it is complete.
  for (const { line } of lines.slice(-2).reverse()) if (isJson(line)) return (JSON.parse(line) as Receipt).anchor;
  if (lines.length > 0) throw new ReceiptUnusable(`${path} does not contain receipts`);
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
