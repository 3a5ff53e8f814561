import { constants, type BigIntStats } from 'node:fs';
import { lchown, lstat, mkdir, open, readlink, realpath, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { FileMode } from '@phaseline/domain';
import {
  leavesWorkspace,
  MAX_FILE_BYTES,
  removeDiskFile,
  type FileEntry,
  type WorkspaceReader,
} from '@phaseline/workspace';
import { stampOf, type HeldFile } from './manifest.js';
import type { ScannedEntry } from './scan-folder.js';

const CHUNK_BYTES = 1024 * 1024;

/** The content of a file on disk and its stamp, or the reason why it cannot be kept. */
type DiskContent =
  { readonly content: Uint8Array; readonly mode?: FileMode; readonly stamp: string } | { readonly problem: string };

/** Reads a file or link of a folder. Never follows a link, and never waits for a device or pipe. */
export async function readDiskFile(folder: string, { path, kind }: ScannedEntry): Promise<DiskContent> {
  const place = join(folder, path);
  try {
    if (kind === 'other') return { problem: 'it is neither a file nor a folder.' };
    if (kind === 'link') return await readLink(folder, path);
    const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) return { problem: 'it is neither a file nor a folder.' };
      if (stat.size > MAX_FILE_BYTES)
        return { problem: `it has ${stat.size} bytes; the maximum is ${MAX_FILE_BYTES}. Split the file.` };
      const content = await file.readFile();
      return { content, ...modeOf(stat), stamp: stampOf(stat) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { problem: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).` };
  }
}

function modeOf(stat: BigIntStats): { readonly mode?: FileMode } {
  return (stat.mode & 0o100n) === 0n ? {} : { mode: 'executable' };
}

async function readLink(folder: string, path: string): Promise<DiskContent> {
  const place = join(folder, path);
  const target = await readlink(place);
  const outside = { problem: 'it is a symbolic link to a path outside the workspace.' };
  if (leavesWorkspace(path, target)) return outside;
  // A link to a link may lead out although neither name does.
  const root = await realpath(folder);
  const real = await realpath(place).catch(() => undefined);
  if (real !== undefined && !isInside(root, real)) return outside;
  const stat = await lstat(place, { bigint: true });
  return { content: Buffer.from(target), mode: 'link', stamp: stampOf(stat) };
}

/** Whether a real path is a folder or below it. */
export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(`${root}${sep}`);
}

/** A file of a workspace with its path. */
export type WorkspaceFile = FileEntry & { readonly path: string };

/**
 * Writes a file of the workspace and returns what the folder then holds. The content is given, or read from the workspace in pieces. An
 * existing file is replaced by a new one, because other names may lead to the old one. `owner` becomes its user before the stamp is
 * read, because a later change would look like one of the content.
 */
export async function writeDiskFile(
  folder: string,
  { path, hash, size, mode }: WorkspaceFile,
  source: Uint8Array | WorkspaceReader,
  owner?: number,
): Promise<HeldFile> {
  const place = join(folder, path);
  await makeFolders(folder, path);
  const held = async (): Promise<HeldFile> => {
    if (owner !== undefined) await lchown(place, owner, owner);
    const stamp = stampOf(await lstat(place, { bigint: true }));
    return { hash, ...(mode === undefined ? {} : { mode }), stamp };
  };
  if (mode === 'link') {
    const target = Buffer.from(source instanceof Uint8Array ? source : ((await source.read(path)) ?? [])).toString();
    if (!leavesWorkspace(path, target)) {
      await createNew(place, () => symlink(target, place));
      return held();
    }
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await createNew(place, () => open(place, flags, mode === 'executable' ? 0o755 : 0o644));
  try {
    if (source instanceof Uint8Array) await file.writeFile(source);
    else
      for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
        const piece = await source.readRange(path, { offset, length: CHUNK_BYTES });
        if (piece) await file.writeFile(piece);
      }
  } finally {
    await file.close();
  }
  return held();
}

/** Calls `create`, which fails if something is in its place, and removes that first if so. Usually, nothing is. */
async function createNew<Result>(place: string, create: () => Promise<Result>): Promise<Result> {
  return create().catch(async () => {
    await removeDiskFile(place);
    return create();
  });
}

/** Creates the folders above a file. Whatever is in the place of a folder, such as a link, is removed. */
async function makeFolders(root: string, path: string): Promise<void> {
  const parent = join(root, dirname(path));
  if ((await realpath(parent).catch(() => undefined)) === parent) return;
  let folder = root;
  for (const part of path.split('/').slice(0, -1)) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => undefined);
    if (found && !found.isDirectory()) await rm(folder, { force: true });
    if (!found?.isDirectory()) await mkdir(folder).catch(ignoreExisting);
  }
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

/** Removes a file and the folders above it that become empty. */
export async function removeWithFolders(root: string, path: string): Promise<void> {
  await removeDiskFile(join(root, path));
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const removed = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}
