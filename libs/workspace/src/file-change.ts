import type { FileMode, FileOrigin } from '@phaseline/domain';

/** Stored content: its hash in hex, and its size in bytes. */
export interface StoredContent {
  readonly hash: string;
  readonly size: number;
}

/** One file of a tree. */
export interface FileEntry extends StoredContent {
  /** Time of the last write, as an ISO date and time. */
  readonly writtenAt: string;
  /** Absent for a plain file. The content of a link is the path to which it points. */
  readonly mode?: FileMode | undefined;
}

/** Files of a workspace by path. Paths are relative, with `/` as separator and without `.` or `..` parts. */
export type Tree = Readonly<Record<string, FileEntry>>;

interface FileWrite {
  readonly path: string;
  /** Time of the write in a recording that is repeated; by default the time at which the change is staged. */
  readonly writtenAt?: string | undefined;
  /** By default an executable file stays executable, and a link becomes a plain file. */
  readonly mode?: FileMode | 'plain' | undefined;
  readonly origin?: FileOrigin | undefined;
}

export type FileChange =
  | (FileWrite & { readonly content: Uint8Array })
  /** Content that was already streamed into the blob store because it is too large for memory. */
  | (FileWrite & { readonly stored: StoredContent })
  | { readonly path: string; readonly deleted: true; readonly origin?: FileOrigin | undefined };

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
  /** Reads several files with few queries, by path; files that do not exist are omitted. All of them are in memory at once. */
  readAll(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Reads part of a file, up to its end; `undefined` if the file does not exist. */
  readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined>;
}
