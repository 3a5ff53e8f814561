import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotWrite, UnsafePath } from '../command/command-errors.js';
import { printable } from '../output/printable.js';

/** Control characters have no place in a file name; `\` and `:` mean something else on other systems. */

const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/;

/**
 * The parts of a path that a server names, if it can only lead to somewhere below the folder it is joined to. The server
 * checks paths as well; but what is written on this machine is decided here. Throws UnsafePath.
 */
export function safeParts(path: string): readonly string[] {
  const parts = path.split('/');
  const bad =
    FORBIDDEN.test(path) || !path.isWellFormed() || parts.some((part) => part === '' || part === '.' || part === '..');
  if (bad)
    throw new UnsafePath(
      `The job has a file with a path that is not safe to write here: "${printable(path)}". Read it with \`phaseline files cat\` instead.`,
    );
  return parts;
}

/**
 * The absolute path of a file below `folder`, the folders on the way made. A symbolic link on the way could lead out of
 * `folder`, so it is refused. Throws UnsafePath, CannotWrite.
 */
export async function placeBelow(folder: string, path: string): Promise<string> {
  const parts = safeParts(path);
  let at = folder;
  await makeFolder(at, true);
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    await makeFolder(at, false);
    const found = await lstat(at);
    if (found.isSymbolicLink())
      throw new UnsafePath(
        `${at} is a symbolic link; nothing is written through it. Remove it or pull into another folder.`,
      );
    if (!found.isDirectory())
      throw new CannotWrite(`${at} is a file where a folder is needed. Move it away or pull into another folder.`);
  }
  return join(at, parts.at(-1)!);
}

async function makeFolder(path: string, recursive: boolean): Promise<void> {
  try {
    await mkdir(path, { recursive });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !recursive) return;
    throw new CannotWrite(`${path} cannot be made (${code}). Pull into a folder that is yours with --into.`, { cause });
  }
}
