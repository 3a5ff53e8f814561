import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotWrite, FilesExist } from '../command/command-errors.js';

/** Writes a file and the folders that contain it, and never over one that a person may have changed. Throws FilesExist and CannotWrite. */
export async function writeNewFile(file: string, content: string, advice: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { flag: 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new FilesExist(`${file} exists. ${advice}`, { cause });
    throw new CannotWrite(`${file} cannot be written: ${code}; check the permissions of the folder.`, { cause });
  }
}
