import { statfs } from 'node:fs/promises';

/** Throws if the file system of a folder has fewer free bytes. */
export async function requireDiskSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes)
    throw new Error(
      `${folder} has ${formatGiB(free)} GiB of free space; this run needs ${formatGiB(bytes)} GiB. Set TMPDIR to a larger disk, or use fewer --events.`,
    );
}

function formatGiB(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
