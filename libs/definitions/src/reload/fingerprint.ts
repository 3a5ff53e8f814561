import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Maximum depth of folders; definitions are never nested deeper. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 5_000;

/**
 * Computes a fingerprint of folders from the names, sizes and times of all files in them. Links are followed, because
 * mounted volumes are updated through them. A missing folder is a valid state.
 */
export async function fingerprintFolders(folders: readonly string[]): Promise<string> {
  const seen: string[] = [];
  for (const folder of folders) await walk(folder, 0, seen);
  return seen.join('\n');
}

async function walk(folder: string, depth: number, seen: string[]): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.sort()) {
    if (name.startsWith('.') || seen.length >= MAX_ENTRIES) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found) seen.push(`${path} is gone`);
    else if (found.isDirectory()) {
      seen.push(path);
      if (depth < MAX_DEPTH) await walk(path, depth + 1, seen);
    } else seen.push(`${path} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`);
  }
}
