/** Stored content: its hash in hex, and its size in bytes. */
export interface StoredContent {
  readonly hash: string;
  readonly size: number;
}

/** One file of a tree. */
export interface FileEntry extends StoredContent {
  /** Time of the last write, as an ISO date and time. */
  readonly writtenAt: string;
}

/** Files of a workspace by path. Paths are relative, with `/` as separator and without `.` or `..` parts. */
export type Tree = Readonly<Record<string, FileEntry>>;

export type FileChange =
  | {
      readonly path: string;
      readonly content: Uint8Array;
      /** Time of the write in a recording that is repeated; by default the time at which the change is staged. */
      readonly writtenAt?: string | undefined;
    }
  /** Content that was already streamed into the blob store because it is too large for memory. */
  | { readonly path: string; readonly stored: StoredContent; readonly writtenAt?: string | undefined }
  | { readonly path: string; readonly deleted: true };

/** Byte range of a file; `offset` starts at 0. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Read access to the current files of a job, including changes staged in the same step. */
export interface WorkspaceReader {
  readonly tree: Tree;
  /** Reads a file; `undefined` if it does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Reads part of a file, up to its end; `undefined` if the file does not exist. */
  readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined>;
}
