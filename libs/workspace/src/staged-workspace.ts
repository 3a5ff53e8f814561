import { CodedError } from '@phaseline/basics';
import { createHash } from 'node:crypto';
import type { CallId, JobId } from '@phaseline/contracts';
import type { FileMode, PhaseEvent } from '@phaseline/domain';
import { ContentHash, contentHash, type BlobWrite } from '@phaseline/event-store';
import type { ByteRange, FileChange, Tree, WorkspaceReader } from './file-change.js';
import { InvalidPath, normaliseNewPath, normalisePath } from './workspace-path.js';

/** Source of file contents, such as the blobs of the event store. */
export interface BlobReader {
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Reads several blobs with few queries, by hash. If not implemented, they are read one after the other. */
  getAll?(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Reads a range. If not implemented, the whole blob is read. */
  read?(hash: string, range: ByteRange): Promise<Uint8Array | undefined>;
  /** Reads a blob in chunks. If not implemented, the whole blob is read. */
  stream?(hash: string): AsyncIterable<Uint8Array>;
  /** Returns the reader for a job, if the files of some jobs are stored separately. */
  forJob?(jobId: JobId): BlobReader;
}

/** Returns the blob reader for the files of a job. */
export function getJobBlobs(blobs: BlobReader, jobId: JobId): BlobReader {
  return blobs.forJob?.(jobId) ?? blobs;
}

/** Reads several blobs, by hash. Blobs that are not stored are omitted. */
export async function readBlobs(
  blobs: BlobReader,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (blobs.getAll) return blobs.getAll(hashes);
  const found = new Map<string, Uint8Array>();
  for (const hash of hashes) {
    const content = await blobs.get(hash);
    if (content) found.set(hash, content);
  }
  return found;
}

/** Thrown if the content of a file in the log is missing: the database is damaged. */
export class BlobMissing extends CodedError {
  readonly code = 'blob_missing';
  constructor(
    path: string,
    readonly hash: string,
  ) {
    super(`the content of ${path} (${hash}) is not in the database. Restore it from a backup.`);
  }
}

/** Maximum size in bytes of content that is passed in memory. Larger content has to be streamed into the blob store. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The files of a job with the changes of the running step on top. Staged changes are visible to later reads immediately, and
 * become events and blobs for one commit.
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

  /** Moves to files that events describe whose contents are stored. What was staged before can still be read. */
  moveTo(tree: Tree): void {
    this.current = tree;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.current[normalisePath(path)];
    if (!entry) return undefined;
    const content = this.staged.get(entry.hash) ?? (await this.blobs.get(entry.hash));
    if (!content) throw new BlobMissing(path, entry.hash);
    return content;
  }

  async readAll(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const entries = paths.flatMap((path) => {
      const entry = this.current[normalisePath(path)];
      return entry ? [{ path, hash: entry.hash }] : [];
    });
    const wanted = new Set(entries.flatMap(({ hash }) => (this.staged.has(hash) ? [] : [hash])));
    const stored = wanted.size === 0 ? undefined : await readBlobs(this.blobs, [...wanted]);
    const contents = new Map<string, Uint8Array>();
    for (const { path, hash } of entries) {
      const content = this.staged.get(hash) ?? stored?.get(hash);
      if (!content) throw new BlobMissing(path, hash);
      contents.set(path, content);
    }
    return contents;
  }

  async readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const entry = this.current[normalisePath(path)];
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
   * Stages changes and returns what to commit, as written at `now`. Writing identical content is not a change. If one change is rejected
   * (InvalidPath), none of them is staged.
   */
  stage(
    changes: readonly FileChange[],
    now: Date,
    callId?: CallId,
  ): { readonly facts: readonly PhaseEvent[]; readonly blobs: readonly BlobWrite[] } {
    const facts: PhaseEvent[] = [];
    const blobs: BlobWrite[] = [];
    if (changes.length === 0) return { facts, blobs };
    // One copy for all changes: a command may change hundreds of files in a workspace with thousands.
    const tree: { [path: string]: Tree[string] } = { ...this.current };
    const folders = changes.length > 1 ? listFolders(tree) : undefined;
    for (const change of changes) {
      const origin = {
        ...(callId === undefined ? {} : { callId }),
        ...(change.origin === undefined ? {} : { origin: change.origin }),
      };
      const path = isNew(tree, change) ? normaliseNewPath(change.path) : normalisePath(change.path);
      if ('deleted' in change) {
        if (!tree[path]) continue;
        delete tree[path];
        folders?.remove(path);
        facts.push({ type: 'FileDeleted', data: { path, ...origin } });
        continue;
      }
      const { writtenAt = now.toISOString() } = change;
      const mode = resolveMode(change.mode, tree[path]?.mode);
      const written = { writtenAt, ...(mode === undefined ? {} : { mode }) };
      if ('stored' in change) {
        const { hash, size } = change.stored;
        refuseFolderClash(tree, path, folders);
        if (tree[path]?.hash === hash && tree[path].mode === mode) continue;
        const entry = { hash, size, ...written };
        setEntry(tree, path, entry, folders);
        facts.push({ type: 'FileWritten', data: { path, ...entry, ...origin } });
        continue;
      }
      const { content } = change;
      if (content.byteLength > MAX_FILE_BYTES) {
        throw new InvalidPath(
          `${path} would have ${content.byteLength} bytes; at most ${MAX_FILE_BYTES} are allowed. Split it.`,
        );
      }
      refuseFolderClash(tree, path, folders);
      const hash = getContentHash(content);
      if (tree[path]?.hash === hash && tree[path].mode === mode) continue;
      this.staged.set(hash, content);
      const entry = { hash, size: content.byteLength, ...written };
      setEntry(tree, path, entry, folders);
      facts.push({ type: 'FileWritten', data: { path, ...entry, ...origin } });
      blobs.push({ hash, content });
    }
    this.current = tree;
    return { facts, blobs };
  }
}

/** Returns the mode of a written file: an executable file stays executable, and a link becomes a plain file. */
function resolveMode(requested: FileMode | 'plain' | undefined, current: FileMode | undefined): FileMode | undefined {
  if (requested === 'plain') return undefined;
  return requested ?? (current === 'executable' ? current : undefined);
}

function isNew(tree: Tree, change: FileChange): boolean {
  return !('deleted' in change) && !Object.hasOwn(tree, normalisePath(change.path));
}

/** Content hashes computed in advance. */
const hashes = new WeakMap<Uint8Array, string>();

/** Number of bytes hashed between two calls of `yieldToEventLoop`. */
const HASH_CHUNK_BYTES = 256 * 1024;

/** Hashes large content in chunks before it is staged, so that the event loop is not blocked. The content must not change afterwards. */
export async function precomputeHash(
  content: Uint8Array,
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<void> {
  if (hashes.has(content) || content.byteLength <= HASH_CHUNK_BYTES || content.byteLength > MAX_FILE_BYTES) return;
  const hash = new ContentHash();
  for (let from = 0; from < content.byteLength; from += HASH_CHUNK_BYTES) {
    hash.update(content.subarray(from, from + HASH_CHUNK_BYTES));
    await yieldToEventLoop();
  }
  hashes.set(content, hash.digest());
}

/** Returns the content hash, which may have been computed in advance. */
export function getContentHash(content: Uint8Array): string {
  return hashes.get(content) ?? contentHash(content);
}

/** Counts the files below each folder. */
class Folders {
  private readonly counts = new Map<string, number>();

  add(path: string): void {
    for (const folder of foldersAbove(path)) this.counts.set(folder, (this.counts.get(folder) ?? 0) + 1);
  }

  remove(path: string): void {
    for (const folder of foldersAbove(path)) this.counts.set(folder, (this.counts.get(folder) ?? 0) - 1);
  }

  has(path: string): boolean {
    return (this.counts.get(path) ?? 0) > 0;
  }
}

function listFolders(tree: Tree): Folders {
  const folders = new Folders();
  for (const path of Object.keys(tree)) folders.add(path);
  return folders;
}

function* foldersAbove(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}

function setEntry(
  tree: { [path: string]: Tree[string] },
  path: string,
  entry: Tree[string],
  folders: Folders | undefined,
): void {
  if (!Object.hasOwn(tree, path)) folders?.add(path);
  // Assigning to a path such as `__proto__` would not create a property.
  Object.defineProperty(tree, path, { value: entry, enumerable: true, configurable: true, writable: true });
}

/** Throws if a file would replace a folder or be below a file, which a mirror on disk could not represent. */
function refuseFolderClash(tree: Tree, path: string, folders: Folders | undefined): void {
  if (Object.hasOwn(tree, path)) return;
  for (const parent of foldersAbove(path))
    if (Object.hasOwn(tree, parent)) throw new InvalidPath(`${parent} is a file, so ${path} cannot be below it.`);
  const below = `${path}/`;
  if (folders ? folders.has(path) : Object.keys(tree).some((other) => other.startsWith(below)))
    throw new InvalidPath(`${path} is a folder. Specify a file name in it.`);
}

/** SHA-256 in hex. A file is identified by its `contentHash`, which differs from this for large files. */
export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
