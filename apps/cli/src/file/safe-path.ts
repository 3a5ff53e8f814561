import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotWrite, UnsafePath } from '../command/command-errors.js';
import { toPrintable } from '../output/printable.js';

/** Control characters do not belong in file names; `\` and `:` have a special meaning on other systems. */

const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/;

/**
 * Splits a path from the server into its parts, and refuses it if it could leave the folder it is joined to. The server checks paths
 * too, but the CLI must not rely on that for files it writes. Throws UnsafePath.
 */
export function splitSafePath(path: string): readonly string[] {
  const parts = path.split('/');
  const isUnsafe =
    FORBIDDEN.test(path) || !path.isWellFormed() || parts.some((part) => part === '' || part === '.' || part === '..');
  if (isUnsafe)
    throw new UnsafePath(
      `The job has a file with a path that is not safe to write here: "${toPrintable(path)}". Read it with \`phaseline files cat\` instead.`,
    );
  return parts;
}

/**
 * Returns the absolute path of a file below `folder` and creates the folders on the way. Refuses symbolic links on the way, which
 * could lead out of `folder`. Throws UnsafePath, CannotWrite.
 */
export async function prepareFilePath(folder: string, path: string): Promise<string> {
  const parts = splitSafePath(path);
  let at = folder;
  await makeFolder(at, true);
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    await makeFolder(at, false);
    const found = await lstat(at);
    if (found.isSymbolicLink())
      throw new UnsafePath(
        `${at} is a symbolic link, and files are not written through links. Remove it, or use another folder (--out).`,
      );
    if (!found.isDirectory())
      throw new CannotWrite(`${at} is a file where a folder is needed. Move it away, or use another folder (--out).`);
  }
  return join(at, parts.at(-1)!);
}

async function makeFolder(path: string, recursive: boolean): Promise<void> {
  try {
    await mkdir(path, { recursive });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !recursive) return;
    throw new CannotWrite(`Cannot create ${path} (${code}). Use a folder that you may write to (--out).`, { cause });
  }
}
