import { createHash } from 'node:crypto';
import type pg from 'pg';
import { byteaArray } from '../append/binary-array.js';
import { mapDatabaseError } from '../database/database-errors.js';
import { BlobCorrupt, BlobNotStored, BlobTooLarge } from './blob-errors.js';
import { PIECE_BYTES, piecesOf } from './piece.js';
import { JobKeys } from '../sealed/job-keys.js';
import { MasterKeys } from '../sealed/master-keys.js';
import { SealedBlobs } from '../sealed/sealed-blobs.js';
import { isSealedCorrelation } from '../sealed/sealed-correlation.js';

export interface StoredBlob {
  /** SHA-256 of the whole, 64 hex digits. */
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

/**
 * Read at once by `stream`. Of 48 KiB to 1 MiB this took the least time, and whole pieces leave much more to the collector
 * of garbage, since they arrive as text of twice their size.
 */
const PART_BYTES = 128 * 1024;

/** node-postgres has no binary results. Buffer.from takes hex twice as fast as its own parser. */
const AS_TEXT = { getTypeParser: () => (value: string) => value } as never;

/**
 * Bytes named by their SHA-256 (64 hex digits). What something in the log refers to is never changed or removed, so a hash
 * can be kept anywhere in it. Raw pg: the contents travel as binary parameters.
 */
export class BlobStore {
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
    const hash = createHash('sha256').update(content).digest();
    await this.query({
      name: 'phaseline-blob-put',
      text: 'SELECT phaseline.put_blob($1, $2)',
      values: [hash, bufferOf(content)],
    });
    return hash.toString('hex');
  }

  /**
   * Stores a stream of any length, holding no more than a piece of it. Pieces of a stream that breaks off are collected
   * later. Throws BlobTooLarge behind `maxBytes`, and what the stream throws.
   */
  async putStream(
    source: AsyncIterable<Uint8Array>,
    { maxBytes = Number.MAX_SAFE_INTEGER }: { readonly maxBytes?: number } = {},
  ): Promise<StoredBlob> {
    const whole = createHash('sha256');
    const pieces: string[] = [];
    let size = 0;
    for await (const piece of piecesOf(source)) {
      size += piece.byteLength;
      if (size > maxBytes) throw new BlobTooLarge(maxBytes);
      whole.update(piece);
      pieces.push(await this.put(piece));
    }
    const hash = whole.digest('hex');
    // Of one piece the whole is the piece.
    if (pieces.length === 0) await this.put(new Uint8Array());
    if (pieces.length > 1) await this.putManifest(hash, pieces);
    return { hash, size };
  }

  /** The bytes, or undefined when there are none of that name. Throws BlobCorrupt when they are not the ones that were stored. */
  async get(hash: string): Promise<Buffer | undefined> {
    const rows = await this.query<{ content: string }>({
      name: 'phaseline-blob-get',
      text: `SELECT 0 AS number, content FROM phaseline.blobs WHERE hash = $1
        UNION ALL
        SELECT p.number, b.content FROM phaseline.blob_pieces AS p JOIN phaseline.blobs AS b ON b.hash = p.piece
        WHERE p.hash = $1 AND NOT EXISTS (SELECT FROM phaseline.blobs WHERE hash = $1)
        ORDER BY number`,
      values: [Buffer.from(hash, 'hex')],
      types: AS_TEXT,
    });
    if (rows.length === 0) return undefined;
    return genuine(
      hash,
      rows.map(({ content }) => bytesOf(content)),
    );
  }

  /** The blobs of these names, by name; those that are not there are missing in it. For small ones. Throws BlobCorrupt. */
  async getAll(hashes: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.query<{ hash: string; content: string }>({
      name: 'phaseline-blob-get-all',
      text: 'SELECT hash, content FROM phaseline.blobs WHERE hash = ANY ($1)',
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
      types: AS_TEXT,
    });
    return new Map(rows.map((row) => [row.hash.slice(2), genuine(row.hash.slice(2), [bytesOf(row.content)])]));
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
   * but those that hold them. They are not checked against the name, which takes the whole.
   */
  async read(hash: string, { offset, length }: ByteRange): Promise<Buffer | undefined> {
    const first = Math.floor(offset / PIECE_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / PIECE_BYTES);
    const rows = await this.query<{ content: string }>({
      name: 'phaseline-blob-read',
      text: `SELECT 0 AS number, substring(content FROM $2::integer + 1 FOR $3::integer) AS content
        FROM phaseline.blobs WHERE hash = $1
        UNION ALL
        SELECT p.number, substring(b.content FROM greatest(p.from, 0)::integer + 1 FOR (p.to - greatest(p.from, 0))::integer)
        FROM (
          SELECT number, piece, $6::bigint - number::bigint * ${PIECE_BYTES} AS from,
            least($6::bigint + $3::integer - number::bigint * ${PIECE_BYTES}, ${PIECE_BYTES}) AS to
          FROM phaseline.blob_pieces WHERE hash = $1 AND number BETWEEN $4::integer AND $5::integer
        ) AS p JOIN phaseline.blobs AS b ON b.hash = p.piece
        WHERE NOT EXISTS (SELECT FROM phaseline.blobs WHERE hash = $1)
        ORDER BY number`,
      // A blob of one row has no byte at an offset that an integer cannot hold.
      values: [Buffer.from(hash, 'hex'), Math.min(offset, 0x7ffffffe), length, first, last, offset],
      types: AS_TEXT,
    });
    if (rows.length === 0) return (await this.size(hash)) === undefined ? undefined : Buffer.alloc(0);
    return Buffer.concat(rows.map(({ content }) => bytesOf(content)));
  }

  /**
   * The bytes in parts, all or those of a range, holding no more than one. The whole ends with BlobCorrupt when it is not
   * what was stored: then nothing that was read may be used. Throws BlobNotStored when there is none of that name.
   */
  async *stream(hash: string, range?: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const size = await this.size(hash);
    if (size === undefined) throw new BlobNotStored(hash);
    const whole = createHash('sha256');
    const end = range ? Math.min(size, range.offset + range.length) : size;
    for (let offset = range?.offset ?? 0; offset < end; offset += PART_BYTES) {
      const part = await this.read(hash, { offset, length: Math.min(PART_BYTES, end - offset) });
      if (!part) throw new BlobNotStored(hash);
      if (!range) whole.update(part);
      yield part;
    }
    if (range) return;
    const actual = whole.digest('hex');
    if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
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

  private async putManifest(hash: string, pieces: readonly string[]): Promise<void> {
    await this.query({
      text: 'SELECT phaseline.put_manifest($1, $2)',
      values: [Buffer.from(hash, 'hex'), byteaArray(pieces.map((piece) => Buffer.from(piece, 'hex')))],
    });
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
function genuine(hash: string, parts: readonly Buffer[]): Buffer {
  const content = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
  return content;
}

function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
