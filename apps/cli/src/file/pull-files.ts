import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFile } from '@phaseline/client';
import { ContentHash, contentHash } from '@phaseline/event-store';
import { CannotWrite, ContentMismatch, FilesExist } from '../command/command-errors.js';
import { placeBelow, safeParts } from './safe-path.js';

export interface PullOptionsFor {
  readonly folder: string;
  /** Replace files that are there and differ. */
  readonly force: boolean;
  /** The bytes of a file; as a stream where they are too many for memory. */
  readonly read: (path: string, size: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>>;
  readonly signal?: AbortSignal | undefined;
}

export interface PulledFile extends WorkspaceFile {
  readonly outcome: 'written' | 'replaced' | 'unchanged';
}

const SHOWN_CONFLICTS = 5;

/**
 * Copies files into a folder: never outside of it, and without `force` never over a file that differs. All paths and all
 * conflicts are looked at before the first byte is written. Throws UnsafePath, FilesExist, CannotWrite, ContentMismatch.
 */
export async function pullFiles(
  files: readonly WorkspaceFile[],
  options: PullOptionsFor,
): Promise<readonly PulledFile[]> {
  for (const file of files) safeParts(file.path);
  const standing = new Map(
    await Promise.all(
      files.map(async (file) => [file.path, await compare(join(options.folder, file.path), file)] as const),
    ),
  );
  const conflicts = files.filter((file) => standing.get(file.path) === 'differs').map((file) => file.path);
  if (conflicts.length > 0 && !options.force) throw conflict(options.folder, conflicts);
  const pulled: PulledFile[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    const before = standing.get(file.path);
    if (before === 'same') {
      pulled.push({ ...file, outcome: 'unchanged' });
      continue;
    }
    const content = await options.read(file.path, file.size);
    if (content instanceof Uint8Array) {
      checkContent(file, { size: content.length, hash: contentHash(content) });
      await write(await placeBelow(options.folder, file.path), content, options);
    } else {
      await writeStream(await placeBelow(options.folder, file.path), content, file, options);
    }
    pulled.push({ ...file, outcome: before === 'differs' ? 'replaced' : 'written' });
  }
  return pulled;
}

/** A link counts as different, wherever it leads: it would not be the file itself. */
async function compare(path: string, file: WorkspaceFile): Promise<'absent' | 'same' | 'differs'> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return 'absent';
  if (!found.isFile() || found.size !== file.size) return 'differs';
  return (await hashOfFile(path)) === file.hash ? 'same' : 'differs';
}

function checkContent(file: WorkspaceFile, came: Pick<WorkspaceFile, 'size' | 'hash'>): void {
  if (came.size === file.size && came.hash === file.hash) return;
  throw new ContentMismatch(
    `${file.path} came with other bytes than the list of files says. Nothing more was written; check the log with \`phaseline audit verify\`.`,
  );
}

async function write(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  { force, folder }: Pick<PullOptionsFor, 'force' | 'folder'>,
): Promise<void> {
  // Removed first, so that a link is replaced and not followed; O_EXCL then refuses whatever came in between.
  if (force) await rm(path, { force: true }).catch(() => undefined);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const file = await open(path, flags, 0o644);
    try {
      // Takes any sequence of chunks.
      await file.writeFile(content as Uint8Array);
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !force) throw conflict(folder, [path]);
    // Half a file must not look like a whole one.
    if (code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    const why =
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'the disk is full; free some space'
        : `${code}; check the rights of the folder`;
    throw new CannotWrite(`${path} cannot be written: ${why}.`, { cause });
  }
}

/** Writes beside the place first: what is only known at the end of a stream must not replace a good file by a bad one. */
async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
  file: WorkspaceFile,
  { force, folder }: PullOptionsFor,
): Promise<void> {
  const beside = `${path}.${randomUUID()}.part`;
  try {
    const hash = new ContentHash();
    let size = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    };
    await write(beside, counted(), { force: false, folder });
    checkContent(file, { size, hash: hash.digest() });
    if (force) await rename(beside, path);
    // Unlike a rename, this replaces nothing.
    else await link(beside, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw conflict(folder, [path]);
    throw cause;
  } finally {
    await rm(beside, { force: true });
  }
}

function conflict(folder: string, paths: readonly string[]): FilesExist {
  const shown = paths.slice(0, SHOWN_CONFLICTS).map((path) => `  ${path}`);
  if (paths.length > SHOWN_CONFLICTS) shown.push(`  and ${paths.length - SHOWN_CONFLICTS} more`);
  return new FilesExist(
    [
      `Files in ${folder} differ from those of the job. Pull into another folder with --into, or replace them with --force:`,
      ...shown,
    ].join('\n'),
  );
}

async function hashOfFile(path: string): Promise<string> {
  const hash = new ContentHash();
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest();
}
