import { createHash } from 'node:crypto';
import type { PhaseEvent } from '@phaseline/domain';
import { contentHash, type BlobWrite } from '@phaseline/event-store';
import type { ByteRange, FileChange, Tree, WorkspaceReader } from './file-change.js';
import { InvalidPath, newWorkspacePath, workspacePath } from './workspace-path.js';

/** Where the bytes of files are kept; the event store's blobs are one. */
export interface BlobReader {
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Some bytes, without the rest. Where it is missing the whole is read and cut. */
  read?(hash: string, range: ByteRange): Promise<Uint8Array | undefined>;
  /** The bytes a piece at a time. Where it is missing the whole is read. */
  stream?(hash: string): AsyncIterable<Uint8Array>;
  /** The files of a job, where those of some jobs are kept apart. */
  of?(jobId: string): BlobReader;
}

/** Where the files of a job are read from. */
export function blobsOf(blobs: BlobReader, jobId: string): BlobReader {
  return blobs.of?.(jobId) ?? blobs;
}

/** A file's bytes are gone although the log names them: the database was damaged. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
  readonly code = 'blob_missing';
  constructor(path: string, hash: string) {
    super(`the content of ${path} (${hash}) is not in the database. Restore it from a backup.`);
  }
}

/** Content above this is refused where it comes as bytes in memory; a stream into the blob store takes what is larger. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The files of a job with the changes of the running step on top. What was staged is seen by later reads at once and
 * becomes facts and blobs for one commit.
 */
export class StagedWorkspace implements WorkspaceReader {
  private readonly staged = new Map<string, Uint8Array>();

  constructor(
    private current: Tree,
    private readonly blobs: BlobReader,
  ) {}

  get tree(): Tree {
    return this.current;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.current[workspacePath(path)];
    if (!entry) return undefined;
    const content = this.staged.get(entry.hash) ?? (await this.blobs.get(entry.hash));
    if (!content) throw new BlobMissing(path, entry.hash);
    return content;
  }

  async readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const entry = this.current[workspacePath(path)];
    if (!entry) return undefined;
    const staged = this.staged.get(entry.hash);
    if (!staged && this.blobs.read) {
      const part = await this.blobs.read(entry.hash, range);
      if (!part) throw new BlobMissing(path, entry.hash);
      return part;
    }
    const content = staged ?? (await this.read(path));
    return content?.subarray(range.offset, range.offset + range.length);
  }

  /**
   * Puts changes on top; returns what is to be committed. A write of the same bytes is no change.
   * When one of them is refused (InvalidPath), none of them is staged.
   */
  stage(
    changes: readonly FileChange[],
    callId?: string,
  ): { readonly facts: readonly PhaseEvent[]; readonly blobs: readonly BlobWrite[] } {
    const facts: PhaseEvent[] = [];
    const blobs: BlobWrite[] = [];
    let tree = this.current;
    const origin = callId === undefined ? {} : { callId };
    for (const change of changes) {
      const path = isNew(tree, change) ? newWorkspacePath(change.path) : workspacePath(change.path);
      if ('deleted' in change) {
        if (!tree[path]) continue;
        const { [path]: _gone, ...rest } = tree;
        tree = rest;
        facts.push({ type: 'FileDeleted', data: { path, ...origin } });
        continue;
      }
      if ('stored' in change) {
        const { hash, size } = change.stored;
        refuseFolderClash(tree, path);
        if (tree[path]?.hash === hash) continue;
        tree = { ...tree, [path]: { hash, size } };
        facts.push({ type: 'FileWritten', data: { path, hash, size, ...origin } });
        continue;
      }
      const { content } = change;
      if (content.byteLength > MAX_FILE_BYTES) {
        throw new InvalidPath(
          `${path} would have ${content.byteLength} bytes; at most ${MAX_FILE_BYTES} are allowed. Split it.`,
        );
      }
      refuseFolderClash(tree, path);
      const hash = contentHash(content);
      if (tree[path]?.hash === hash) continue;
      this.staged.set(hash, content);
      tree = { ...tree, [path]: { hash, size: content.byteLength } };
      facts.push({ type: 'FileWritten', data: { path, hash, size: content.byteLength, ...origin } });
      blobs.push({ hash, content });
    }
    this.current = tree;
    return { facts, blobs };
  }
}

function isNew(tree: Tree, change: FileChange): boolean {
  return !('deleted' in change) && !Object.hasOwn(tree, workspacePath(change.path));
}

/** A file cannot be where a folder is, nor below a file: a mirror on disk could not hold both. */
function refuseFolderClash(tree: Tree, path: string): void {
  if (tree[path]) return;
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = parts.slice(0, depth).join('/');
    if (tree[parent]) throw new InvalidPath(`${parent} is a file, so ${path} cannot be below it.`);
  }
  const below = `${path}/`;
  if (Object.keys(tree).some((other) => other.startsWith(below)))
    throw new InvalidPath(`${path} is a folder. Choose a file name in it.`);
}

/** SHA-256 in hex. The name of a file is its `contentHash`, which differs for large ones. */
export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
