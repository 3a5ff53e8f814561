import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CodedError } from '@phaseline/basics';
import type { GuardSetFile } from './guard-set.js';

const MAX_FILES = 500;
const MAX_BYTES = 8 * 1024 * 1024;
/** Folders that contain no hooks. */
const SKIPPED = new Set(['.git', '__pycache__']);

/** A folder cannot become a guard set. The message says why, and what to do. */
class GuardFolderUnusable extends CodedError {
  readonly code = 'guard_folder_unusable';
}

/** Reads all files below a folder, in order of their paths. Throws GuardFolderUnusable for links, special files, and more than 8 MiB. */
export async function readGuardFiles(folder: string): Promise<readonly GuardSetFile[]> {
  const files: GuardSetFile[] = [];
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    if (entry.isDirectory() || path.split('/').some((part) => SKIPPED.has(part))) continue;
    if (!entry.isFile())
      throw new GuardFolderUnusable(`${path} is not a regular file. Copy what it leads to into the folder.`);
    const { size, mode } = await lstat(file);
    bytes += size;
    if (files.length >= MAX_FILES || bytes > MAX_BYTES)
      throw new GuardFolderUnusable(
        `${folder} has more than ${MAX_FILES} files or ${MAX_BYTES} bytes. Copy the settings and the scripts of its hooks into a folder of their own.`,
      );
    files.push({ path, content: await readFile(file), isExecutable: (mode & 0o111) !== 0 });
  }
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}
