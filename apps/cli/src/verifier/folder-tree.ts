import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listDependencyFolders, type VerifierDefinition } from '@phaseline/contracts';
import type { BlobReader, FileEntry, Tree } from '@phaseline/workspace';

/** The files of a folder of this machine, as a job would have them, and a reader of their contents. */
export interface FolderTree {
  readonly tree: Tree;
  readonly blobs: BlobReader;
}

/**
 * Reads the files of a folder as those of a workspace: without folders of dependencies, which a job does not record, and without `.git`. Throws
 * the error of the file system.
 */
export async function readFolderTree(folder: string, definition: VerifierDefinition): Promise<FolderTree> {
  const skipped = new Set([...listDependencyFolders(definition), '.git']);
  const tree: Record<string, FileEntry> = {};
  const places = new Map<string, string>();
  const targets = new Map<string, Uint8Array>();
  const folders = [''];
  for (let prefix = folders.pop(); prefix !== undefined; prefix = folders.pop()) {
    for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      const place = join(folder, path);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) folders.push(`${path}/`);
      } else if (entry.isSymbolicLink()) {
        const content = Buffer.from(await readlink(place));
        const hash = createHash('sha256').update(content).digest('hex');
        targets.set(hash, content);
        tree[path] = { hash, size: content.byteLength, writtenAt: '', mode: 'link' };
      } else if (entry.isFile()) {
        const { size, mode } = await lstat(place);
        const hash = await hashFile(place);
        places.set(hash, place);
        tree[path] = { hash, size, writtenAt: '', ...((mode & 0o100) === 0 ? {} : { mode: 'executable' }) };
      }
    }
  }
  const get = async (hash: string): Promise<Uint8Array | undefined> => {
    const place = places.get(hash);
    return place === undefined ? targets.get(hash) : readFile(place);
  };
  return { tree, blobs: { get } };
}

async function hashFile(place: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(place)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
