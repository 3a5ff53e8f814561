import type { BlobWrite } from '../append/append-types.js';

export interface StoredBlob {
  /** Content hash (`contentHash`), 64 hex digits. */
  readonly hash: string;
  /** Size in bytes. */
  readonly size: number;
}

export interface ByteRange {
  /** First byte, from 0. */
  readonly offset: number;
  readonly length: number;
}

/** The blob store for the files of one job. */
export interface JobBlobs {
  put(content: Uint8Array): Promise<string>;
  /** Stores blobs by their content hash with few queries. All of them are in memory at once. */
  putAll(blobs: readonly BlobWrite[]): Promise<void>;
  putStream(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StoredBlob>;
  get(hash: string): Promise<Buffer | undefined>;
  /** Reads blobs with one query, by hash; blobs that are not stored are omitted. All of them are in memory at once. */
  getAll(hashes: readonly string[]): Promise<Map<string, Buffer>>;
  read(hash: string, range: ByteRange): Promise<Buffer | undefined>;
  stream(hash: string, range?: ByteRange): AsyncGenerator<Buffer, void, undefined>;
  size(hash: string): Promise<number | undefined>;
  has(hashes: readonly string[]): Promise<Set<string>>;
}
