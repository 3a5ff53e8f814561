import { constants } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, open, opendir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '@phaseline/contracts';

/** Maximum files of a workspace that is copied for a command. */
const MAX_FILES = 20_000;
const CHUNK_BYTES = 1024 * 1024;

/** Detects that a file was touched: the kernel updates the inode change time, and a program cannot set it back. */
interface FileStamp {
  readonly inode: bigint;
  readonly changed: bigint;
}

/**
 * A copy of the files of a job in a temporary folder, for one command. The mirror is not used: it lags behind the event log, and
 * concurrent calls would see each other's unfinished work.
 */
export class WorkspaceCopy {
  private readonly stamps = new Map<string, FileStamp>();

  private constructor(private readonly root: string) {}

  /** Creates a copy; the caller removes it. Throws ToolError `workspace_too_large`, and the reason of `signal` when it is aborted. */
  static async create(workspace: WorkspaceReader, maxBytes: number, signal: AbortSignal): Promise<WorkspaceCopy> {
    const files = Object.entries(workspace.tree);
    const bytes = files.reduce((sum, [, { size }]) => sum + size, 0);
    if (bytes > maxBytes || files.length > MAX_FILES) {
      throw new ToolError(
        'workspace_too_large',
        `The workspace has ${files.length} files and ${bytes} bytes; a command can run on at most ${MAX_FILES} files and ${maxBytes} bytes. Delete files that are not needed.`,
      );
    }
    const copy = new WorkspaceCopy(await mkdtemp(join(tmpdir(), 'phaseline-command-')));
    try {
      for (const folder of [copy.folder, copy.home, copy.temporary]) await mkdir(folder);
      for (const [path, { size }] of files) {
        signal.throwIfAborted();
        await copy.copyFile(workspace, path, size);
      }
      return copy;
    } catch (error) {
      await copy.remove();
      throw error;
    }
  }

  /** Folder that contains the files of the workspace. */
  get folder(): string {
    return join(this.root, 'workspace');
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get temporary(): string {
    return join(this.root, 'tmp');
  }

  /** Whether a file may differ from its copied content. */
  isTouched(path: string, found: { readonly ino: bigint; readonly ctimeNs: bigint }): boolean {
    const stamp = this.stamps.get(path);
    return stamp?.inode !== found.ino || stamp.changed !== found.ctimeNs;
  }

  async remove(): Promise<void> {
    const options = { recursive: true, force: true, maxRetries: 3 } as const;
    await rm(this.root, options).catch(async () => {
      // A folder without write permission cannot be emptied.
      await makeFoldersWritable(this.root);
      await rm(this.root, options);
    });
  }

  private async copyFile(workspace: WorkspaceReader, path: string, size: number): Promise<void> {
    const target = join(this.folder, path);
    await mkdir(dirname(target), { recursive: true });
    const file = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644);
    try {
      if (size <= CHUNK_BYTES) await file.writeFile((await workspace.read(path)) ?? new Uint8Array());
      for (let offset = 0; size > CHUNK_BYTES && offset < size; offset += CHUNK_BYTES) {
        const piece = await workspace.readRange(path, { offset, length: CHUNK_BYTES });
        if (piece) await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    const { ino, ctimeNs } = await lstat(target, { bigint: true });
    this.stamps.set(path, { inode: ino, changed: ctimeNs });
  }
}

async function makeFoldersWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeFoldersWritable(join(folder, entry.name));
}

/** Yields everything below a folder without following links. Skips folders with one of the given names. */
export async function* walkFolder(
  folder: string,
  ignore: ReadonlySet<string>,
  prefix = '',
): AsyncGenerator<{ readonly path: string; readonly kind: 'file' | 'link' | 'other' }> {
  for await (const entry of await opendir(folder)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      if (!ignore.has(entry.name)) yield* walkFolder(join(folder, entry.name), ignore, `${path}/`);
    } else yield { path, kind: entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other' };
  }
}
