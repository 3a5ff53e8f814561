import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from './disk-files.js';

/**
 * Creates the working directory of a command, which may be reached through links inside the folder. A link that leads out of it is not
 * followed: commands can leave one in a cache, and this process would create folders wherever it leads. Throws an error if the path
 * leads out or is not a folder.
 */
export async function makeWorkingFolder(folder: string, path: string): Promise<void> {
  const root = await realpath(folder);
  let at = root;
  for (const part of path.split('/').filter(Boolean)) {
    const next = join(at, part);
    await mkdir(next).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    at = await realpath(next);
    if (!isInside(root, at)) throw new Error(`${path} leads out of the workspace`);
  }
  // Fails for a file.
  await realpath(`${at}/.`);
}
