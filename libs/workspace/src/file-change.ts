/** One file of a tree: SHA-256 of its bytes in hex, and its size in bytes. */
export interface FileEntry {
  readonly hash: string;
  readonly size: number;
}

/** Every file of a workspace by its path: relative, `/` as separator, no `.` or `..` parts. */
export type Tree = Readonly<Record<string, FileEntry>>;

export type FileChange =
  | { readonly path: string; readonly content: Uint8Array }
  /** Content that is in the blob store already, put there as a stream because it is too large for memory. */
  | { readonly path: string; readonly stored: FileEntry }
  | { readonly path: string; readonly deleted: true };

/** Some bytes of a file, from byte 0 on. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Read access to the files of a job as they stand now, staged changes of the same step included. */
export interface WorkspaceReader {
  readonly tree: Tree;
  /** The bytes of a file; `undefined` when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Some bytes of a file, without the rest of it; fewer behind its end, `undefined` when there is no such file. */
  readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined>;
}
