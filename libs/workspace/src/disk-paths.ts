import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

/** Whether a link leads out of the workspace by its name alone. */
export function leavesWorkspace(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return true;
  const joined = posix.normalize(posix.join(posix.dirname(path), target));
  return joined === '..' || joined.startsWith('../');
}

/** Removes a file or a folder, also when a command took away the rights to do so. */
export async function removeDiskFile(place: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 } as const;
  await rm(place, options).catch(async () => {
    await chmod(dirname(place), 0o700).catch(() => undefined);
    await makeFoldersWritable(place);
    await rm(place, options);
  });
}

/** A folder without write permission cannot be emptied. */
async function makeFoldersWritable(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeFoldersWritable(join(folder, entry.name));
}
