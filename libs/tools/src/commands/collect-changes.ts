import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { CommandSettings, PhaseKind } from '@phaseline/domain';
import {
  contentHash,
  InvalidPath,
  MAX_FILE_BYTES,
  workspacePath,
  type FileChange,
  type Tree,
} from '@phaseline/workspace';
import { readOnlyReason } from '../workspace/read-only.js';
import { walk, type WorkspaceCopy } from './workspace-copy.js';

/** A command that leaves more than this behind is not looked through to the end. */
const MAX_ENTRIES = 100_000;

export interface Collected {
  readonly files: readonly FileChange[];
  /** What a command left that is not kept, and why; for the model. */
  readonly refused: readonly string[];
}

class TooMuch extends Error {}

/** What a command changed in its copy of the workspace, as changes for the log. More than the settings allow, and nothing is kept. */
export async function collectChanges(
  copy: WorkspaceCopy,
  tree: Tree,
  kind: PhaseKind,
  settings: Pick<CommandSettings, 'changedFiles' | 'changedBytes' | 'ignore'>,
): Promise<Collected> {
  const ignore = new Set(settings.ignore);
  const files: FileChange[] = [];
  const refused: string[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let entries = 0;
  const take = (change: FileChange): void => {
    files.push(change);
    bytes += 'content' in change ? change.content.byteLength : 0;
    if (files.length > settings.changedFiles)
      throw new TooMuch(`more than ${settings.changedFiles} files were changed`);
    if (bytes > settings.changedBytes)
      throw new TooMuch(`the changed files have more than ${settings.changedBytes} bytes`);
  };
  try {
    for await (const { path, kind: type } of walk(copy.folder, ignore)) {
      if ((entries += 1) > MAX_ENTRIES) throw new TooMuch(`there are more than ${MAX_ENTRIES} files now`);
      seen.add(path);
      const content = type === 'file' ? await changed(copy, path) : await linked(copy, path, type);
      if (content === undefined || (content instanceof Uint8Array && contentHash(content) === tree[path]?.hash))
        continue;
      const problem = content instanceof Uint8Array ? problemOf(path, kind) : content;
      if (problem === undefined) take({ path, content: content as Uint8Array });
      else refused.push(`${JSON.stringify(path)}: ${problem}`);
    }
    for (const path of Object.keys(tree)) {
      if (seen.has(path) || path.split('/').some((part) => ignore.has(part))) continue;
      const problem = problemOf(path, kind);
      if (problem === undefined) take({ path, deleted: true });
      else refused.push(`${JSON.stringify(path)} was deleted: ${problem}`);
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { files: [], refused: [`none of the changes: ${error.message}. Work on fewer files at a time.`] };
  }
  // Deletions first: a file may now stand where a folder was.
  return { files: files.sort((a, b) => Number('deleted' in b) - Number('deleted' in a)), refused };
}

function problemOf(path: string, kind: PhaseKind): string | undefined {
  try {
    const clean = workspacePath(path);
    return clean === path ? readOnlyReason(clean, kind) : 'the name is not one that the workspace can keep.';
  } catch (error) {
    if (error instanceof InvalidPath) return error.message;
    throw error;
  }
}

/** The content of a file that was touched, or why it cannot be taken; `undefined` when it is as it was. */
async function changed(copy: WorkspaceCopy, path: string): Promise<Uint8Array | string | undefined> {
  const place = join(copy.folder, path);
  try {
    const found = await lstat(place, { bigint: true });
    if (!copy.isTouched(path, found)) return undefined;
    return await contentOf(place);
  } catch (error) {
    // Names that are no text come out of the folder changed, and are then not found again.
    return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`;
  }
}

async function contentOf(place: string): Promise<Uint8Array | string> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) return `it has ${size} bytes; at most ${MAX_FILE_BYTES} are kept. Split it.`;
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** A link to a file of the workspace is kept as that file's content; one that leads out is refused. */
async function linked(copy: WorkspaceCopy, path: string, type: 'link' | 'other'): Promise<Uint8Array | string> {
  const place = join(copy.folder, path);
  if (type === 'other') return 'it is neither a file nor a folder.';
  try {
    const root = await realpath(copy.folder);
    const target = await realpath(place);
    if (!target.startsWith(`${root}${sep}`)) return 'it is a symbolic link that leads out of the workspace.';
    if (!(await lstat(target)).isFile()) return 'it is a symbolic link to a folder; only files are kept.';
    return await contentOf(target);
  } catch {
    const target = await readlink(place).catch(() => '');
    return `it is a symbolic link that leads nowhere${target.startsWith('/') || target.includes('..') ? ' in the workspace' : ''}.`;
  }
}
