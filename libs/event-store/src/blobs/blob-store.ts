import { ownBytes } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { BlobWrite } from '../append/append-types.js';
import { byteaArray } from '../append/binary-array.js';
import { AS_TEXT, queryRows } from '../database/query-rows.js';
import { BlobCorrupt, BlobNotStored } from './blob-errors.js';
import { contentHash, computePiecesHash, type HashedPiece } from './content-hash.js';
import type { ByteRange, JobBlobs, StoredBlob } from './job-blobs.js';
import { joinParts, PIECE_BYTES, readParts, splitIntoPieces } from './piece.js';
import { JobKeys } from '../encryption/job-keys.js';
import { MasterKeys } from '../encryption/master-keys.js';
import { EncryptedBlobs } from '../encryption/encrypted-blobs.js';
import { isEncryptedCorrelation } from '../encryption/encrypted-correlation.js';

/** The list of pieces of a large blob. It was verified, so each piece can be checked individually. */
interface Manifest {
  readonly size: number;
  readonly pieces: readonly HashedPiece[];
}

/** Cache size for content that was read in part. A reader of one range usually reads the next range of the same piece. */
const CACHED_BYTES = 4 * PIECE_BYTES;
/** Memory of a cached content besides its bytes. */
const ENTRY_BYTES = 500;
/** Cache size for manifests, in pieces: some megabytes. */
const CACHED_MANIFEST_PIECES = 32_768;

/**
 * Bytes of a piece to fetch per query. Hexadecimal results take seven times as much memory while they are read, and strings of
 * megabytes stay in memory until the next garbage collection.
 */
const BYTES_PER_QUERY = 128 * 1024;

/**
 * Stores bytes under their content hash (`contentHash`, 64 hex digits). Blobs that the log refers to are never changed or removed. All
 * content is checked against its hash before it is returned: the whole content of a single row, or the list of pieces and each piece
 * that is read. Uses pg directly, because contents are sent as binary parameters.
 */
export class BlobStore implements JobBlobs {
  private readonly recent = new LRUCache<string, Buffer>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + ENTRY_BYTES,
  });
  private readonly manifests = new LRUCache<string, Manifest>({
    maxSize: CACHED_MANIFEST_PIECES,
    sizeCalculation: ({ pieces }) => Math.max(pieces.length, 1),
  });

  constructor(
    private readonly pool: pg.Pool,
    private readonly keys?: JobKeys,
  ) {}

  /** Returns the blob store for the files of a job: this one, or a separate one if the job is encrypted. */
  forJob(correlationId: JobId): JobBlobs {
    if (!isEncryptedCorrelation(correlationId)) return this;
    return new EncryptedBlobs(this.pool, this.keys ?? new JobKeys(this.pool, MasterKeys.none), correlationId);
  }

  /** Forgets these contents, which were removed from the database after they may have been read. Everything else stays cached. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) {
      for (const piece of this.manifests.get(hash)?.pieces ?? []) this.recent.delete(piece.hash);
      this.manifests.delete(hash);
      this.recent.delete(hash);
    }
  }

  /** Stores bytes and returns their content hash. Storing them again has no effect. Use `putStream` for content not in memory. */
  async put(content: Uint8Array): Promise<string> {
    if (content.byteLength > PIECE_BYTES) return (await this.putStream([content])).hash;
    const hash = contentHash(content);
    await queryRows(this.pool, {
      name: 'phaseline-blob-put',
      text: 'SELECT phaseline.put_blob($1, $2)',
      values: [Buffer.from(hash, 'hex'), bufferOf(content)],
    });
    return hash;
  }

  /** Stores several blobs with one query, and one for each that is larger than a piece. */
  async putAll(blobs: readonly BlobWrite[]): Promise<void> {
    const small = new Map<string, Uint8Array>();
    for (const { hash, content } of blobs) if (content.byteLength <= PIECE_BYTES) small.set(hash, content);
    // Sorted, so that two transactions with the same contents never deadlock.
    const rows = [...small].sort(([a], [b]) => (a < b ? -1 : 1));
    if (rows.length > 0)
      await queryRows(this.pool, {
        name: 'phaseline-blob-put-all',
        text: 'SELECT phaseline.put_blob(hash, content) FROM unnest($1::bytea[], $2::bytea[]) AS blob (hash, content)',
        values: [
          byteaArray(rows.map(([hash]) => Buffer.from(hash, 'hex'))),
          byteaArray(rows.map(([, content]) => bufferOf(content))),
        ],
      });
    for (const { content } of blobs) if (content.byteLength > PIECE_BYTES) await this.putStream([content]);
  }

  /**
   * Stores a stream of any length with at most one piece in memory. Pieces of a stream that fails are collected later. Throws
   * errors of the stream.
   */
  async putStream(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StoredBlob> {
    const pieces: HashedPiece[] = [];
    let size = 0;
    for await (const piece of splitIntoPieces(source)) {
      size += piece.byteLength;
      pieces.push({ hash: await this.put(piece), size: piece.byteLength });
    }
    // A single piece is the blob itself.
    if (pieces.length === 1) return { hash: pieces[0]!.hash, size };
    if (pieces.length === 0) return { hash: await this.put(new Uint8Array()), size };
    const hash = computePiecesHash(pieces);
    await queryRows(this.pool, {
      text: 'SELECT phaseline.put_manifest($1, $2)',
      values: [Buffer.from(hash, 'hex'), byteaArray(pieces.map((piece) => Buffer.from(piece.hash, 'hex')))],
    });
    return { hash, size };
  }

  /** Reads a blob; undefined if it is not stored. Throws BlobCorrupt if the bytes do not match the hash. */
  async get(hash: string): Promise<Buffer | undefined> {
    const content = await this.readRow(hash);
    if (content) return content;
    const manifest = await this.readManifest(hash);
    if (!manifest) return undefined;
    const parts: Buffer[] = [];
    for (const piece of manifest.pieces) parts.push(await this.readPiece(hash, piece));
    return Buffer.concat(parts);
  }

  /** Reads several small blobs, by hash. Blobs that are not stored are omitted. Throws BlobCorrupt. */
  async getAll(hashes: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await queryRows<{ hash: string; content: string }>(this.pool, {
      name: 'phaseline-blob-get-all',
      text: 'SELECT hash, content FROM phaseline.blobs WHERE hash = ANY ($1)',
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
      types: AS_TEXT,
    });
    const found = new Map(
      rows.map((row) => [row.hash.slice(2), verifyContent(row.hash.slice(2), bytesOf(row.content))]),
    );
    for (const hash of hashes) {
      // A blob without its own row may be stored in pieces.
      const content = found.has(hash) ? undefined : await this.get(hash);
      if (content) found.set(hash, content);
    }
    return found;
  }

  /** Returns the size of a blob in bytes; undefined if it is not stored. */
  async size(hash: string): Promise<number | undefined> {
    const [row] = await queryRows<{ size: string }>(this.pool, {
      name: 'phaseline-blob-size',
      text: `SELECT size FROM phaseline.blobs WHERE hash = $1
        UNION ALL SELECT size FROM phaseline.blob_manifests WHERE hash = $1 LIMIT 1`,
      values: [Buffer.from(hash, 'hex')],
    });
    return row && Number(row.size);
  }

  /**
   * Reads a range of a blob: fewer bytes beyond its end, undefined if it is not stored. Reads and checks only the pieces that contain
   * the range. Throws BlobCorrupt, and BlobNotStored if a piece is missing.
   */
  async read(hash: string, { offset, length }: ByteRange): Promise<Buffer | undefined> {
    const layout = await this.readLayout(hash);
    if (!layout) return undefined;
    return joinParts(this.readParts(hash, layout, offset, offset + length));
  }

  /**
   * Streams a blob or a range of it, with at most one piece in memory. Every part is checked before it is yielded: if the stream ends
   * with BlobCorrupt or BlobNotStored, the parts yielded so far are correct but incomplete. Throws BlobNotStored if the blob is not
   * stored.
   */
  async *stream(hash: string, range?: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const layout = await this.readLayout(hash);
    if (!layout) throw new BlobNotStored(hash);
    yield* this.readParts(hash, layout, range?.offset ?? 0, range ? range.offset + range.length : Infinity);
  }

  /** Returns the given hashes that are stored. */
  async has(hashes: readonly string[]): Promise<Set<string>> {
    const rows = await queryRows<{ hash: Buffer }>(this.pool, {
      name: 'phaseline-blob-has',
      text: `SELECT hash FROM phaseline.blobs WHERE hash = ANY ($1)
        UNION SELECT hash FROM phaseline.blob_manifests WHERE hash = ANY ($1)`,
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
    });
    return new Set(rows.map((row) => row.hash.toString('hex')));
  }

  /** Reads the checked content of a blob in one row, or the checked list of its pieces. */
  private async readLayout(hash: string): Promise<Buffer | Manifest | undefined> {
    const known = this.recent.get(hash) ?? this.manifests.get(hash);
    if (known) return known;
    const content = await this.readRow(hash);
    if (!content) return this.readManifest(hash);
    const own = Buffer.from(ownBytes(content).buffer);
    this.recent.set(hash, own);
    return own;
  }

  private readParts(
    hash: string,
    layout: Buffer | Manifest,
    start: number,
    end: number,
  ): AsyncGenerator<Buffer, void, undefined> {
    return readParts(layout, start, end, async (number, isReadToItsEnd) => {
      const piece = (layout as Manifest).pieces[number]!;
      const content = await this.readPiece(hash, piece);
      // The next range needs the same piece.
      if (!isReadToItsEnd) this.recent.set(piece.hash, content);
      return content;
    });
  }

  /** Reads a piece of the large blob `blobHash`. Throws BlobNotStored with the hash of the blob, and BlobCorrupt. */
  private async readPiece(blobHash: string, { hash, size }: HashedPiece): Promise<Buffer> {
    const known = this.recent.get(hash);
    if (known) return known;
    const content = Buffer.allocUnsafeSlow(size);
    for (let from = 0; from < size; from += BYTES_PER_QUERY) {
      const [row] = await queryRows<{ part: string }>(this.pool, {
        name: 'phaseline-blob-part',
        text: 'SELECT substring(content FROM $2::integer + 1 FOR $3::integer) AS part FROM phaseline.blobs WHERE hash = $1',
        values: [Buffer.from(hash, 'hex'), from, BYTES_PER_QUERY],
        types: AS_TEXT,
      });
      if (!row) throw new BlobNotStored(blobHash);
      content.write(row.part.slice(2), from, 'hex');
    }
    return verifyContent(hash, content);
  }

  /** Reads content stored in one row, and checks it. */
  private async readRow(hash: string): Promise<Buffer | undefined> {
    const [row] = await queryRows<{ content: string }>(this.pool, {
      name: 'phaseline-blob-get',
      text: 'SELECT content FROM phaseline.blobs WHERE hash = $1',
      values: [Buffer.from(hash, 'hex')],
      types: AS_TEXT,
    });
    return row && verifyContent(hash, bytesOf(row.content));
  }

  /** Reads the list of pieces of a large blob, and checks it. Throws BlobCorrupt. */
  private async readManifest(hash: string): Promise<Manifest | undefined> {
    const known = this.manifests.get(hash);
    if (known) return known;
    const rows = await queryRows<{ size: string; piece: string | null }>(this.pool, {
      name: 'phaseline-blob-manifest',
      text: `SELECT m.size, encode(p.piece, 'hex') AS piece FROM phaseline.blob_manifests AS m
        LEFT JOIN phaseline.blob_pieces AS p ON p.hash = m.hash WHERE m.hash = $1 ORDER BY p.number`,
      values: [Buffer.from(hash, 'hex')],
    });
    if (rows.length === 0) return undefined;
    const size = Number(rows[0]!.size);
    const pieces = rows.flatMap(({ piece }, number) =>
      piece === null ? [] : [{ hash: piece, size: Math.min(PIECE_BYTES, size - number * PIECE_BYTES) }],
    );
    const actual = computePiecesHash(pieces);
    if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
    const manifest = { size, pieces };
    this.manifests.set(hash, manifest);
    return manifest;
  }
}

/** node-postgres has no binary results; Buffer.from decodes hex twice as fast as its parser. */
function bytesOf(column: string): Buffer {
  return Buffer.from(column.slice(2), 'hex');
}

/** Returns the content if it matches the hash, otherwise throws BlobCorrupt. */
function verifyContent(hash: string, content: Buffer): Buffer {
  const actual = contentHash(content);
  if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
  return content;
}

function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
