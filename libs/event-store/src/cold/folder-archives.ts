import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { assertArchiveName, type ArchiveStore } from './archive-store.js';

/** Stores archives in a folder, one subfolder per job. */
export class FolderArchives implements ArchiveStore {
  readonly location: string;

  constructor(folder: string) {
    this.location = resolve(folder);
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    assertArchiveName(name);
    const path = join(this.location, name);
    const folder = dirname(path);
    const created = await mkdir(folder, { recursive: true });
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      const file = await open(temporary, 'wx', 0o640);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    // Names are part of their folder: without this, a crash of the machine could lose the file, or a folder that was created for it.
    const top = created === undefined ? this.location : dirname(created);
    for (const one of listFolders(folder, top)) await syncFolder(one);
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    assertArchiveName(name);
    try {
      return await readFile(join(this.location, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Returns a folder and those that contain it, up to `top` and at least to its parent. */
function listFolders(folder: string, top: string): string[] {
  const folders = [folder, dirname(folder)];
  while (folders.at(-1)!.length > top.length) folders.push(dirname(folders.at(-1)!));
  return folders;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
