import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { CommandSettings } from '@phaseline/contracts';
import type { PhaseKind } from '@phaseline/domain';
import {
  contentHash,
  InvalidPath,
  MAX_FILE_BYTES,
  normalisePath,
  getReadOnlyReason,
  type FileChange,
  type Tree,
} from '@phaseline/workspace';
import { walkFolder, type WorkspaceCopy } from './workspace-copy.js';

/** Maximum files and links that are examined after a command. */
const MAX_ENTRIES = 100_000;

export interface CollectedChanges {
  readonly files: readonly FileChange[];
  /** For the model: the changes that are not kept, each with its reason. */
  readonly rejected: readonly string[];
}

class LimitExceeded extends Error {}

/**
 * Returns what a command changed in its copy of the workspace, as file changes for the event log. Keeps no change at all when they
 * exceed the limits of the settings.
 */
export async function collectChanges(
  copy: WorkspaceCopy,
  tree: Tree,
  kind: PhaseKind,
  settings: Pick<CommandSettings, 'maxChangedFiles' | 'maxChangedBytes' | 'ignore'>,
): Promise<CollectedChanges> {
  const ignore = new Set(settings.ignore);
  const files: FileChange[] = [];
  const refused: string[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let entries = 0;
  const take = (change: FileChange): void => {
    files.push(change);
    bytes += 'content' in change ? change.content.byteLength : 0;
    if (files.length > settings.maxChangedFiles)
      throw new LimitExceeded(`more than ${settings.maxChangedFiles} files were changed`);
    if (bytes > settings.maxChangedBytes)
      throw new LimitExceeded(`the changed files have more than ${settings.maxChangedBytes} bytes`);
  };
  try {
    for await (const { path, kind: type } of walkFolder(copy.folder, ignore)) {
      if ((entries += 1) > MAX_ENTRIES) throw new LimitExceeded(`the workspace now has more than ${MAX_ENTRIES} files`);
      seen.add(path);
      const content = type === 'file' ? await readChanged(copy, path) : await readLinked(copy, path, type);
      if (content === undefined || (content instanceof Uint8Array && contentHash(content) === tree[path]?.hash))
        continue;
      const problem = content instanceof Uint8Array ? findPathProblem(path, kind) : content;
      if (problem === undefined) take({ path, content: content as Uint8Array });
      else refused.push(`${JSON.stringify(path)}: ${problem}`);
    }
    for (const path of Object.keys(tree)) {
      if (seen.has(path) || path.split('/').some((part) => ignore.has(part))) continue;
      const problem = findPathProblem(path, kind);
      if (problem === undefined) take({ path, deleted: true });
      else refused.push(`${JSON.stringify(path)} was deleted: ${problem}`);
    }
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { files: [], rejected: [`no changes were stored: ${error.message}. Change fewer files per call.`] };
  }
  // Deletions first: a file may have replaced a folder.
  return { files: files.sort((a, b) => Number('deleted' in b) - Number('deleted' in a)), rejected: refused };
}

function findPathProblem(path: string, kind: PhaseKind): string | undefined {
  try {
    const clean = normalisePath(path);
    return clean === path ? getReadOnlyReason(clean, kind) : 'the workspace does not accept this file name.';
  } catch (error) {
    if (error instanceof InvalidPath) return error.message;
    throw error;
  }
}

/** Returns the content of a touched file, or the reason why it cannot be kept; undefined when the file was not touched. */
async function readChanged(copy: WorkspaceCopy, path: string): Promise<Uint8Array | string | undefined> {
  const place = join(copy.folder, path);
  try {
    const found = await lstat(place, { bigint: true });
    if (!copy.isTouched(path, found)) return undefined;
    return await readContent(place);
  } catch (error) {
    // A name that is not valid UTF-8 is changed when the folder is listed, and then not found.
    return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`;
  }
}

async function readContent(place: string): Promise<Uint8Array | string> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) return `it has ${size} bytes; the maximum is ${MAX_FILE_BYTES}. Split the file.`;
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Returns the content of the workspace file that a link points to, or the reason why the link cannot be kept. */
async function readLinked(copy: WorkspaceCopy, path: string, type: 'link' | 'other'): Promise<Uint8Array | string> {
  const place = join(copy.folder, path);
  if (type === 'other') return 'it is neither a file nor a folder.';
  try {
    const root = await realpath(copy.folder);
    const target = await realpath(place);
    if (!target.startsWith(`${root}${sep}`)) return 'it is a symbolic link to a path outside the workspace.';
    if (!(await lstat(target)).isFile()) return 'it is a symbolic link to a folder; only files are stored.';
    return await readContent(target);
  } catch {
    const target = await readlink(place).catch(() => '');
    return `it is a symbolic link whose target does not exist${target.startsWith('/') || target.includes('..') ? ' in the workspace' : ''}.`;
  }
}
