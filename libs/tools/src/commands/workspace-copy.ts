import { constants } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, open, opendir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '../tool-error.js';

/** A workspace with more files is not copied for a command. */
const MAX_FILES = 20_000;
const PIECE_BYTES = 1024 * 1024;

/** What tells that a file was touched: the kernel moves the time of change whatever a program does to hide it. */
interface Mark {
  readonly inode: bigint;
  readonly changed: bigint;
}

/**
 * The files of a job in a folder of their own, for one command. A copy and not the mirror: the mirror is behind the log, and
 * neighbouring calls would see each other's half-done work in it.
 */
export class WorkspaceCopy {
  private readonly marks = new Map<string, Mark>();

  private constructor(private readonly root: string) {}

  /** Throws ToolError `workspace_too_large`, and the reason of `signal`. The caller removes the copy. */
  static async make(workspace: WorkspaceReader, maxBytes: number, signal: AbortSignal): Promise<WorkspaceCopy> {
    const files = Object.entries(workspace.tree);
    const bytes = files.reduce((sum, [, { size }]) => sum + size, 0);
    if (bytes > maxBytes || files.length > MAX_FILES) {
      throw new ToolError(
        'workspace_too_large',
        `The workspace has ${files.length} files and ${bytes} bytes; at most ${MAX_FILES} files and ${maxBytes} bytes are copied for a command. Delete what is not needed.`,
      );
    }
    const copy = new WorkspaceCopy(await mkdtemp(join(tmpdir(), 'phaseline-command-')));
    try {
      for (const folder of [copy.folder, copy.home, copy.temporary]) await mkdir(folder);
      for (const [path, { size }] of files) {
        signal.throwIfAborted();
        await copy.put(workspace, path, size);
      }
      return copy;
    } catch (error) {
      await copy.remove();
      throw error;
    }
  }

  /** Where the files are. */
  get folder(): string {
    return join(this.root, 'workspace');
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get temporary(): string {
    return join(this.root, 'tmp');
  }

  /** Whether a file is no longer, or not certainly, what was put there. */
  isTouched(path: string, found: { readonly ino: bigint; readonly ctimeNs: bigint }): boolean {
    const mark = this.marks.get(path);
    return mark?.inode !== found.ino || mark.changed !== found.ctimeNs;
  }

  async remove(): Promise<void> {
    const options = { recursive: true, force: true, maxRetries: 3 } as const;
    await rm(this.root, options).catch(async () => {
      // A folder that may not be written cannot be emptied.
      await openFolders(this.root);
      await rm(this.root, options);
    });
  }

  private async put(workspace: WorkspaceReader, path: string, size: number): Promise<void> {
    const target = join(this.folder, path);
    await mkdir(dirname(target), { recursive: true });
    const file = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644);
    try {
      if (size <= PIECE_BYTES) await file.writeFile((await workspace.read(path)) ?? new Uint8Array());
      for (let offset = 0; size > PIECE_BYTES && offset < size; offset += PIECE_BYTES) {
        const piece = await workspace.readRange(path, { offset, length: PIECE_BYTES });
        if (piece) await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    const { ino, ctimeNs } = await lstat(target, { bigint: true });
    this.marks.set(path, { inode: ino, changed: ctimeNs });
  }
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}

/** Everything below a folder, without following links. Folders of the given names are left out. */
export async function* walk(
  folder: string,
  ignore: ReadonlySet<string>,
  prefix = '',
): AsyncGenerator<{ readonly path: string; readonly kind: 'file' | 'link' | 'other' }> {
  for await (const entry of await opendir(folder)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      if (!ignore.has(entry.name)) yield* walk(join(folder, entry.name), ignore, `${path}/`);
    } else yield { path, kind: entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other' };
  }
}
