import { CodedError } from '@phaseline/basics';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobId } from '@phaseline/contracts';
import type { FileMode } from '@phaseline/domain';
import { normalisePath } from './workspace-path.js';

/** Thrown if the mirror could not be written. The files themselves are safe in the database. */
export class MirrorFailed extends CodedError {
  readonly code = 'mirror_failed';
  constructor(path: string, problem: string, cause: unknown) {
    super(
      `${path} could not be written to the mirror: ${problem}. The file is safe in the database, and the write is retried.`,
      { cause },
    );
  }
}

/** Error codes when there is nothing left to remove, or a folder contains other files. */
const IGNORED_ON_REMOVE: readonly string[] = ['ENOTEMPTY', 'ENOENT', 'EEXIST', 'ENOTDIR', 'ENAMETOOLONG'];

/** Path of a job's folder below the mirror's root. */
function mirrorFolderPath(root: string, jobId: JobId): string {
  return join(root, `job_${jobId}`);
}

/**
 * Copies files of jobs to `<root>/job_<id>/` for people and for tools that need a real folder. Symbolic links are never
 * followed: a link planted in the mirror cannot send a write elsewhere.
 */
export class Mirror {
  constructor(readonly root: string) {}

  /**
   * Writes a file. Large content can be passed as a stream. A link is written as a file that contains its target, because following it
   * could lead out of the mirror.
   */
  async write(
    jobId: JobId,
    path: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    mode?: FileMode,
  ): Promise<void> {
    const target = await this.prepareTarget(jobId, path);
    let opened = false;
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
      const file = await open(target, flags, 0o644);
      opened = true;
      try {
        // `writeFile` also accepts an async iterable of chunks.
        await file.writeFile(content as Uint8Array);
        await file.chmod(mode === 'executable' ? 0o755 : 0o644);
      } finally {
        await file.close();
      }
    } catch (error) {
      // A partial file would look like a complete one.
      if (opened) await rm(target, { force: true }).catch(() => undefined);
      throw new MirrorFailed(target, problemOf(error), error);
    }
  }

  /** Whether files can be written below the root at all. If so, a failure concerns a single file. */
  async isWritable(): Promise<boolean> {
    const probe = join(this.root, `.probe-${randomUUID()}`);
    try {
      await mkdir(this.root, { recursive: true });
      const file = await open(probe, 'wx', 0o600);
      try {
        await file.writeFile('probe');
      } finally {
        await file.close();
      }
      return true;
    } catch {
      return false;
    } finally {
      await rm(probe, { force: true }).catch(() => undefined);
    }
  }

  /** Removes a file and the folders that become empty. A missing file is not an error. */
  async remove(jobId: JobId, path: string): Promise<void> {
    const root = mirrorFolderPath(this.root, jobId);
    const target = join(root, normalisePath(path));
    try {
      await refuseLinks(root, path);
      await rm(target, { force: true });
      for (let folder = dirname(target); folder !== root; folder = dirname(folder)) await rmdir(folder);
    } catch (error) {
      if (!IGNORED_ON_REMOVE.includes(codeOf(error))) throw new MirrorFailed(target, problemOf(error), error);
    }
  }

  /** Creates the folders of a file, refusing links, and returns its absolute path. */
  private async prepareTarget(jobId: JobId, path: string): Promise<string> {
    const parts = normalisePath(path).split('/');
    let folder = mirrorFolderPath(this.root, jobId);
    try {
      await mkdir(folder, { recursive: true });
      for (const part of parts.slice(0, -1)) {
        folder = join(folder, part);
        await mkdir(folder).catch(async (error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error;
          if (!(await lstat(folder)).isDirectory())
            throw new Error('a part of the path is not a folder', { cause: error });
        });
      }
    } catch (error) {
      throw new MirrorFailed(join(folder, parts.at(-1)!), problemOf(error), error);
    }
    return join(folder, parts.at(-1)!);
  }
}

/** Throws if a folder above a file is a link or does not exist. */
async function refuseLinks(root: string, path: string): Promise<void> {
  let folder = root;
  for (const part of normalisePath(path).split('/').slice(0, -1)) {
    folder = join(folder, part);
    if (!(await lstat(folder)).isDirectory()) throw new Error('a part of the path is not a folder');
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function problemOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full; free some space';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'the folder is not writable; check its permissions or set PHASELINE_WORKSPACES_DIR';
    case 'ENAMETOOLONG':
      return 'its name is too long for this file system';
    case 'EISDIR':
    case 'ERR_FS_EISDIR':
      return 'there is a folder in its place; remove or rename that';
    case 'ELOOP':
      return 'there is a symbolic link in its place; remove it';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
