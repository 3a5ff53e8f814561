import type pg from 'pg';
import { byteaArray } from '../append/binary-array.js';
import { mapDatabaseError } from '../database/database-errors.js';
import { BlobCorrupt, BlobNotStored, BlobTooLarge } from './blob-errors.js';
import { contentHash, piecesName, type NamedPiece } from './content-hash.js';
import { PIECE_BYTES, piecesOf } from './piece.js';
import { RecentlyRead } from './recently-read.js';
import { JobKeys } from '../sealed/job-keys.js';
import { MasterKeys } from '../sealed/master-keys.js';
import { SealedBlobs } from '../sealed/sealed-blobs.js';
import { isSealedCorrelation } from '../sealed/sealed-correlation.js';

export interface StoredBlob {
  /** Name of the content (`contentHash`), 64 hex digits. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
}

export interface ByteRange {
  /** First byte, from 0. */
  readonly offset: number;
  readonly length: number;
}

/** Where the files of one job are kept. */
export type JobBlobs = Pick<BlobStore, 'put' | 'putStream' | 'get' | 'read' | 'stream' | 'size' | 'has'>;

/** Where the pieces of a large blob are: verified, so that each piece can be checked by itself. */
interface Manifest {
  readonly size: number;
  readonly pieces: readonly NamedPiece[];
}

/** Content that was read in part lately: whoever reads a range reads the next one from the same piece. */
const RECENT_BYTES = 4 * PIECE_BYTES;
/** Pieces of manifests that were read lately: some megabytes. */
const RECENT_PIECES = 32_768;

/**
 * Bytes that one answer of the database brings of a piece. An answer takes seven times that while it is read, as hexadecimal text,
 * and texts of megabytes lie about until the garbage collector comes to them.
 */
const PART_BYTES = 128 * 1024;

/** node-postgres has no binary results. Buffer.from takes hex twice as fast as its own parser. */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as never;

/**
 * Bytes named by their content (`contentHash`, 64 hex digits). What something in the log refers to is never changed or removed, so a
 * name can be kept anywhere in it. Everything that is read was checked against its name before: the whole of what is stored in one
 * row, and of larger blobs the list of pieces and each piece that is read. Raw pg: the contents travel as binary parameters.
 */
export class BlobStore {
  private readonly recent = new RecentlyRead<Buffer>(RECENT_BYTES, (content) => content.byteLength);
  private readonly manifests = new RecentlyRead<Manifest>(RECENT_PIECES, ({ pieces }) => pieces.length);

  constructor(
    private readonly pool: pg.Pool,
    private readonly keys?: JobKeys,
  ) {}

  /** The files of a job: these, unless the job is sealed and has its own. */
  of(correlationId: string): JobBlobs {
    if (!isSealedCorrelation(correlationId)) return this;
    return new SealedBlobs(this.pool, this.keys ?? new JobKeys(this.pool, MasterKeys.none), correlationId);
  }

  /** Stores bytes and returns their name. Storing them again does nothing. For what is in memory anyway. */
  async put(content: Uint8Array): Promise<string> {
    if (content.byteLength > PIECE_BYTES) return (await this.putStream([content])).hash;
    const hash = contentHash(content);
    await this.query({
      name: 'phaseline-blob-put',
      text: 'SELECT phaseline.put_blob($1, $2)',
      values: [Buffer.from(hash, 'hex'), bufferOf(content)],
    });
    return hash;
  }

  /**
   * Stores a stream of any length, holding no more than a piece of it. Pieces of a stream that breaks off are collected
   * later. Throws BlobTooLarge behind `maxBytes`, and what the stream throws.
   */
  async putStream(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { maxBytes = Number.MAX_SAFE_INTEGER }: { readonly maxBytes?: number } = {},
  ): Promise<StoredBlob> {
    const pieces: NamedPiece[] = [];
    let size = 0;
    for await (const piece of piecesOf(source)) {
      size += piece.byteLength;
      if (size > maxBytes) throw new BlobTooLarge(maxBytes);
      pieces.push({ hash: await this.put(piece), size: piece.byteLength });
    }
    // Of one piece the whole is the piece.
    if (pieces.length === 1) return { hash: pieces[0]!.hash, size };
    if (pieces.length === 0) return { hash: await this.put(new Uint8Array()), size };
    const hash = piecesName(pieces);
    await this.query({
      text: 'SELECT phaseline.put_manifest($1, $2)',
      values: [Buffer.from(hash, 'hex'), byteaArray(pieces.map((piece) => Buffer.from(piece.hash, 'hex')))],
    });
    return { hash, size };
  }

  /** The bytes, or undefined when there are none of that name. Throws BlobCorrupt when they are not the ones that were stored. */
  async get(hash: string): Promise<Buffer | undefined> {
    const content = await this.row(hash);
    if (content) return content;
    const manifest = await this.manifest(hash);
    if (!manifest) return undefined;
    const parts: Buffer[] = [];
    for (const piece of manifest.pieces) parts.push(await this.piece(hash, piece));
    return Buffer.concat(parts);
  }

  /** The blobs of these names, by name; those that are not there are missing in it. For small ones. Throws BlobCorrupt. */
  async getAll(hashes: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.query<{ hash: string; content: string }>({
      name: 'phaseline-blob-get-all',
      text: 'SELECT hash, content FROM phaseline.blobs WHERE hash = ANY ($1)',
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
      types: AS_TEXT,
    });
    const found = new Map(rows.map((row) => [row.hash.slice(2), genuine(row.hash.slice(2), bytesOf(row.content))]));
    for (const hash of hashes) {
      // What has no row of its own may be a large one.
      const content = found.has(hash) ? undefined : await this.get(hash);
      if (content) found.set(hash, content);
    }
    return found;
  }

  /** How many bytes a blob has; undefined when there is none of that name. */
  async size(hash: string): Promise<number | undefined> {
    const [row] = await this.query<{ size: string }>({
      name: 'phaseline-blob-size',
      text: `SELECT size FROM phaseline.blobs WHERE hash = $1
        UNION ALL SELECT size FROM phaseline.blob_manifests WHERE hash = $1 LIMIT 1`,
      values: [Buffer.from(hash, 'hex')],
    });
    return row && Number(row.size);
  }

  /**
   * Some bytes of a blob: fewer than asked for behind its end, undefined when there is none of that name. Reads no pieces
   * but those that hold them, and checks these. Throws BlobCorrupt, and BlobNotStored when a piece is not there.
   */
  async read(hash: string, { offset, length }: ByteRange): Promise<Buffer | undefined> {
    const layout = await this.layout(hash);
    if (!layout) return undefined;
    const parts: Buffer[] = [];
    for await (const part of this.parts(hash, layout, offset, offset + length)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /**
   * The bytes in parts, all or those of a range, holding no more than a piece. No part comes before it was checked: a stream that
   * ends with BlobCorrupt or BlobNotStored gave nothing but bytes that were stored, and not the last of them. Throws BlobNotStored
   * when there is none of that name.
   */
  async *stream(hash: string, range?: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const layout = await this.layout(hash);
    if (!layout) throw new BlobNotStored(hash);
    yield* this.parts(hash, layout, range?.offset ?? 0, range ? range.offset + range.length : Infinity);
  }

  /** Which of the hashes are stored. */
  async has(hashes: readonly string[]): Promise<Set<string>> {
    const rows = await this.query<{ hash: Buffer }>({
      name: 'phaseline-blob-has',
      text: `SELECT hash FROM phaseline.blobs WHERE hash = ANY ($1)
        UNION SELECT hash FROM phaseline.blob_manifests WHERE hash = ANY ($1)`,
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
    });
    return new Set(rows.map((row) => row.hash.toString('hex')));
  }

  /** What a name stands for: checked content of one row, or the checked list of its pieces. */
  private async layout(hash: string): Promise<Buffer | Manifest | undefined> {
    const known = this.recent.get(hash) ?? this.manifests.get(hash);
    if (known) return known;
    const content = await this.row(hash);
    if (content) this.recent.keep(hash, content);
    return content ?? this.manifest(hash);
  }

  /** The bytes from `start` to before `end`, at most a piece at a time. */
  private async *parts(
    hash: string,
    layout: Buffer | Manifest,
    start: number,
    end: number,
  ): AsyncGenerator<Buffer, void, undefined> {
    if (Buffer.isBuffer(layout)) {
      if (start < Math.min(end, layout.byteLength)) yield layout.subarray(start, end);
      return;
    }
    const last = Math.min(end, layout.size);
    for (let at = start; at < last;) {
      const number = Math.floor(at / PIECE_BYTES);
      const from = number * PIECE_BYTES;
      const content = await this.piece(hash, layout.pieces[number]!);
      // A piece that is read to its end is not needed for the next range.
      if (last - from < PIECE_BYTES) this.recent.keep(layout.pieces[number]!.hash, content);
      const part = content.subarray(at - from, last - from);
      yield part;
      at += part.byteLength;
    }
  }

  /** A piece of a large blob. Throws BlobNotStored with the name of the blob, and BlobCorrupt. */
  private async piece(whole: string, { hash, size }: NamedPiece): Promise<Buffer> {
    const known = this.recent.get(hash);
    if (known) return known;
    const content = Buffer.allocUnsafeSlow(size);
    for (let from = 0; from < size; from += PART_BYTES) {
      const [row] = await this.query<{ part: string }>({
        name: 'phaseline-blob-part',
        text: 'SELECT substring(content FROM $2::integer + 1 FOR $3::integer) AS part FROM phaseline.blobs WHERE hash = $1',
        values: [Buffer.from(hash, 'hex'), from, PART_BYTES],
        types: AS_TEXT,
      });
      if (!row) throw new BlobNotStored(whole);
      content.write(row.part.slice(2), from, 'hex');
    }
    return genuine(hash, content);
  }

  /** The content of one row, checked against its name. */
  private async row(hash: string): Promise<Buffer | undefined> {
    const [row] = await this.query<{ content: string }>({
      name: 'phaseline-blob-get',
      text: 'SELECT content FROM phaseline.blobs WHERE hash = $1',
      values: [Buffer.from(hash, 'hex')],
      types: AS_TEXT,
    });
    return row && genuine(hash, bytesOf(row.content));
  }

  /** The pieces of a large blob, checked against its name. Throws BlobCorrupt. */
  private async manifest(hash: string): Promise<Manifest | undefined> {
    const known = this.manifests.get(hash);
    if (known) return known;
    const rows = await this.query<{ size: string; piece: string | null }>({
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
    const actual = piecesName(pieces);
    if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
    const manifest = { size, pieces };
    this.manifests.keep(hash, manifest);
    return manifest;
  }

  private async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(config)).rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

function bytesOf(column: string): Buffer {
  return Buffer.from(column.slice(2), 'hex');
}

/** The bytes, if they are the ones of that name. */
function genuine(hash: string, content: Buffer): Buffer {
  const actual = contentHash(content);
  if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
  return content;
}

function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
