import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFile } from '@phaseline/client';
import { ContentHash, contentHash } from '@phaseline/event-store';
import { CannotWrite, ContentMismatch, FilesExist } from '../command/command-errors.js';
import { prepareFilePath, splitSafePath } from './safe-path.js';

export interface PullFilesOptions {
  readonly folder: string;
  /** Replace existing files that differ. */
  readonly force: boolean;
  /** Returns the bytes of a file; as a stream if they may not fit in memory. */
  readonly read: (path: string, size: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>>;
  readonly signal?: AbortSignal | undefined;
}

export interface PulledFile extends WorkspaceFile {
  readonly outcome: 'written' | 'replaced' | 'unchanged';
}

const MAX_CONFLICTS_SHOWN = 5;

/**
 * Copies files to a folder, never outside of it, and without `force` never over a file that differs. All paths and conflicts are
 * checked before the first byte is written. Throws UnsafePath, FilesExist, CannotWrite, ContentMismatch.
 */
export async function pullFiles(
  files: readonly WorkspaceFile[],
  options: PullFilesOptions,
): Promise<readonly PulledFile[]> {
  for (const file of files) splitSafePath(file.path);
  const existing = new Map(
    await Promise.all(
      files.map(async (file) => [file.path, await compare(join(options.folder, file.path), file)] as const),
    ),
  );
  const conflicts = files.filter((file) => existing.get(file.path) === 'differs').map((file) => file.path);
  if (conflicts.length > 0 && !options.force) throw createConflictError(options.folder, conflicts);
  const pulled: PulledFile[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    const before = existing.get(file.path);
    if (before === 'same') {
      pulled.push({ ...file, outcome: 'unchanged' });
      continue;
    }
    const content = await options.read(file.path, file.size);
    if (content instanceof Uint8Array) {
      checkContent(file, { size: content.length, hash: contentHash(content) });
      await write(await prepareFilePath(options.folder, file.path), content, options, modeOf(file));
    } else {
      await writeStream(await prepareFilePath(options.folder, file.path), content, file, options);
    }
    pulled.push({ ...file, outcome: before === 'differs' ? 'replaced' : 'written' });
  }
  return pulled;
}

/** A symbolic link always counts as different, because it is not the file itself. */
async function compare(path: string, file: WorkspaceFile): Promise<'absent' | 'same' | 'differs'> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return 'absent';
  if (!found.isFile() || found.size !== file.size) return 'differs';
  return (await hashOfFile(path)) === file.hash ? 'same' : 'differs';
}

function checkContent(file: WorkspaceFile, received: Pick<WorkspaceFile, 'size' | 'hash'>): void {
  if (received.size === file.size && received.hash === file.hash) return;
  throw new ContentMismatch(
    `The content of ${file.path} does not match its hash. It and the files after it were not written. Check the log with \`phaseline audit verify\`.`,
  );
}

async function write(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  { force, folder }: Pick<PullFilesOptions, 'force' | 'folder'>,
  mode: number,
): Promise<void> {
  // Removed first, so that a link is replaced instead of followed. O_EXCL then refuses a file created in between.
  if (force) await rm(path, { force: true }).catch(() => undefined);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const file = await open(path, flags, mode);
    try {
      // Accepts any iterable of chunks, although its type does not say so.
      await file.writeFile(content as Uint8Array);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !force) throw createConflictError(folder, [path]);
    // A partial file must not look complete.
    if (code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    const why =
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'the disk is full; free some space'
        : `${code}; check the permissions of the folder`;
    throw new CannotWrite(`${path} cannot be written: ${why}.`, { cause });
  }
}

/** Writes to a temporary file first: the hash is only known at the end of the stream, and a bad file must not replace a good one. */
async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
  file: WorkspaceFile,
  { force, folder }: PullFilesOptions,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    const hash = new ContentHash();
    let size = 0;
    const hashed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    };
    await write(temporary, hashed(), { force: false, folder }, modeOf(file));
    checkContent(file, { size, hash: hash.digest() });
    if (force) await rename(temporary, path);
    // Unlike rename, link never replaces a file.
    else await link(temporary, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw createConflictError(folder, [path]);
    throw cause;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A link is written as a file that contains its target, because following it could lead out of the folder. */
function modeOf({ mode }: WorkspaceFile): number {
  return mode === 'executable' ? 0o755 : 0o644;
}

function createConflictError(folder: string, paths: readonly string[]): FilesExist {
  const shown = paths.slice(0, MAX_CONFLICTS_SHOWN).map((path) => `  ${path}`);
  if (paths.length > MAX_CONFLICTS_SHOWN) shown.push(`  and ${paths.length - MAX_CONFLICTS_SHOWN} more`);
  return new FilesExist(
    [
      `Some files in ${folder} differ from those of the job. Use another folder (--out) or replace them (--force):`,
      ...shown,
    ].join('\n'),
  );
}

async function hashOfFile(path: string): Promise<string> {
  const hash = new ContentHash();
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest();
}
