import { REPOSITORY_FOLDER } from '@phaseline/contracts';
import { MAX_FILE_BYTES, normaliseNewPath } from '@phaseline/workspace';
import { posix } from 'node:path';
import { RepositoryProblem } from './repository-problem.js';
import type { Git } from './run-git.js';

/** Limits of an imported repository. */
export interface ImportLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface CommittedFile {
  /** Path in the workspace. */
  readonly path: string;
  /** Hash of the object in git. */
  readonly object: string;
  readonly size: number;
  readonly mode?: 'executable' | 'link';
}

export interface CommittedFiles {
  readonly files: readonly CommittedFile[];
  readonly bytes: number;
  /** Paths of submodules in the repository. */
  readonly submodules: readonly string[];
}

/**
 * Lists the files of a commit. Stops at the limits while it reads, because a small repository can name any number of files. Throws
 * RepositoryProblem `repository_too_large`, and `repository_refused` for a path that a workspace cannot have.
 */
export async function listCommittedFiles(
  git: Git,
  repository: string,
  commit: string,
  limits: ImportLimits,
): Promise<CommittedFiles> {
  const files: CommittedFile[] = [];
  const submodules: string[] = [];
  let bytes = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of git.stream(repository, { args: ['ls-tree', '-r', '-z', '-l', '--full-tree', commit] })) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const [kind, path] = parseEntry(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const [mode, , object, size] = kind;
      if (mode === '160000') {
        submodules.push(path);
        continue;
      }
      const file = { path: checkPath(path), object: object!, size: Number(size) };
      bytes += file.size;
      if (files.length >= limits.files)
        throw new RepositoryProblem('repository_too_large', `the commit has more than ${limits.files} files`);
      if (bytes > limits.bytes)
        throw new RepositoryProblem('repository_too_large', `the commit has more than ${limits.bytes} bytes`);
      if (file.size > MAX_FILE_BYTES)
        throw new RepositoryProblem(
          'repository_too_large',
          `${JSON.stringify(path)} has ${file.size} bytes; a file of a workspace has at most ${MAX_FILE_BYTES}`,
        );
      files.push(
        mode === '100755' ? { ...file, mode: 'executable' } : mode === '120000' ? { ...file, mode: 'link' } : file,
      );
    }
  }
  return { files, bytes, submodules };
}

function parseEntry(entry: Buffer): readonly [kind: readonly string[], path: string] {
  const tab = entry.indexOf(9);
  try {
    const path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(entry.subarray(tab + 1));
    return [entry.subarray(0, tab).toString('latin1').split(/ +/), path];
  } catch (cause) {
    throw new RepositoryProblem('repository_refused', 'a file name of the commit is not valid UTF-8', { cause });
  }
}

function checkPath(path: string): string {
  const full = `${REPOSITORY_FOLDER}/${path}`;
  try {
    if (normaliseNewPath(full) === full) return full;
  } catch (cause) {
    throw new RepositoryProblem('repository_refused', (cause as Error).message, { cause });
  }
  throw new RepositoryProblem(
    'repository_refused',
    `${JSON.stringify(path)} is not a file name that a workspace can have (not in Unicode form C, or with an empty part)`,
  );
}

/** Yields the content of every distinct object of the files, in the order of the list. Only one is in memory at a time. */
export async function* readObjects(
  git: Git,
  repository: string,
  files: readonly CommittedFile[],
): AsyncGenerator<{ readonly object: string; readonly content: Buffer }, void, undefined> {
  const objects = [...new Set(files.map(({ object }) => object))];
  if (objects.length === 0) return;
  let chunks: Buffer[] = [];
  let buffered = 0;
  let header: { readonly object: string; readonly size: number } | undefined;
  const stream = git.stream(repository, {
    args: ['cat-file', '--batch', '--buffer'],
    stdin: `${objects.join('\n')}\n`,
  });
  for await (const chunk of stream) {
    chunks.push(chunk);
    buffered += chunk.byteLength;
    // Concatenated only when an object is complete, so that a large one is not copied with every chunk.
    if (header && buffered < header.size + 1) continue;
    let data = Buffer.concat(chunks);
    for (;;) {
      if (!header) {
        const end = data.indexOf(10);
        if (end < 0) break;
        const [object = '', type, size] = data.subarray(0, end).toString('latin1').split(' ');
        if (type !== 'blob')
          throw new RepositoryProblem('repository_refused', `the object ${object} of a file is missing or no blob`);
        header = { object, size: Number(size) };
        data = data.subarray(end + 1);
      }
      if (data.byteLength < header.size + 1) break;
      yield { object: header.object, content: Buffer.from(data.subarray(0, header.size)) };
      data = data.subarray(header.size + 1);
      header = undefined;
    }
    chunks = [data];
    buffered = data.byteLength;
  }
}

/** Throws RepositoryProblem `repository_refused` when a link leads out of the repository. */
export function checkLink(path: string, target: string): void {
  const resolved = posix.join(posix.dirname(path), target);
  const isInside = resolved === REPOSITORY_FOLDER || resolved.startsWith(`${REPOSITORY_FOLDER}/`);
  if (target === '' || target.startsWith('/') || !isInside || resolved.split('/')[1]?.toLowerCase() === '.git')
    throw new RepositoryProblem(
      'repository_refused',
      `the link ${JSON.stringify(path)} leads to ${JSON.stringify(target.slice(0, 200))}, which is outside the repository`,
    );
}
