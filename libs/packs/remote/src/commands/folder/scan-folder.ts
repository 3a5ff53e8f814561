import { createYielder } from '@phaseline/basics';
import { lstatSync, readdirSync, rmSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';

export interface ScannedEntry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'other';
  readonly stat: BigIntStats;
}

/** U+FFFD, which Node puts where a name is not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/**
 * Yields every file and link below a folder, without following links and without the folders of a given name. Reads synchronously,
 * which is several times faster, and lets other work run in between. Removes files whose name is not UTF-8, because the log cannot
 * name them, and reports them to `onRemoved`.
 */
export async function* scanFolder(
  folder: string,
  skipped: ReadonlySet<string>,
  onRemoved: (path: string) => void,
): AsyncGenerator<readonly ScannedEntry[], void, undefined> {
  const yieldIfDue = createYielder();
  const folders = [''];
  for (let prefix = folders.pop(); prefix !== undefined; prefix = folders.pop()) {
    const found: ScannedEntry[] = [];
    const place = join(folder, prefix);
    const entries = readFolder(place);
    if (entries.some(({ name }) => name.includes(REPLACEMENT))) removeUnnameable(place, prefix, onRemoved);
    for (const entry of entries) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) folders.push(`${path}/`);
        continue;
      }
      // Joined by hand: `join` normalises, which takes longer than all else here but the system call.
      const stat = lstatSync(`${folder}/${path}`, { bigint: true, throwIfNoEntry: false });
      if (stat) found.push({ path, kind: stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other', stat });
      await yieldIfDue();
    }
    yield found;
  }
}

function readFolder(place: string) {
  try {
    return readdirSync(place, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Removed since it was listed, or a folder that the command made unreadable, which counts as empty.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}

function removeUnnameable(place: string, prefix: string, onRemoved: (path: string) => void): void {
  for (const name of readdirSync(place, { encoding: 'buffer' })) {
    const text = name.toString();
    if (Buffer.from(text).equals(name)) continue;
    rmSync(Buffer.concat([Buffer.from(`${place}/`), name]), { recursive: true, force: true });
    onRemoved(`${prefix}${text}`);
  }
}
