import type { JobId } from '@phaseline/contracts';
import type pg from 'pg';
import { byteaArray } from '../append/binary-array.js';
import { BlobCorrupt, BlobNotStored } from '../blobs/blob-errors.js';
import type { ByteRange, JobBlobs, StoredBlob } from '../blobs/job-blobs.js';
import { contentHash, computePiecesHash, type HashedPiece } from '../blobs/content-hash.js';
import { joinParts, PIECE_BYTES, readParts, splitIntoPieces } from '../blobs/piece.js';
import type { BlobWrite } from '../append/append-types.js';
import { mapDatabaseError, sqlState } from '../database/database-errors.js';
import { encodeAssociatedData } from './authenticated-cipher.js';
import type { JobKey } from './job-key.js';
import type { JobKeys } from './job-keys.js';
import { ContentErased, DecryptionFailed } from './encryption-errors.js';

/** Error code of phaseline.put_encrypted_blobs if the job has no key (migrations/000004_encryption.sql). */
const NO_KEY = 'PL013';
/** Rows per query: some megabytes. */
const ROWS_PER_QUERY = 4;

/** First byte of a row: content, or the list of pieces of larger content. */
const KINDS = { bytes: 0, pieces: 1 } as const;

interface Pieces {
  readonly size: number;
  readonly hashes: readonly string[];
}

interface Row {
  readonly name: Buffer;
  readonly content: Buffer;
}

/**
 * Stores the files of one encrypted job. Callers use the hash of the plain content, as for other blobs; the database stores ciphertext
 * under a keyed hash of it. Files are not shared between jobs, and no plaintext is cached.
 * All methods throw ContentErased after the job was erased, MasterKeyMissing, DecryptionFailed and DatabaseUnreachable.
 */
export class EncryptedBlobs implements JobBlobs {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: JobKeys,
    private readonly correlationId: JobId,
  ) {}

  async put(content: Uint8Array): Promise<string> {
    const { hash } = await this.putStream([content]);
    return hash;
  }

  /** Throws errors of the stream as well. */
  async putStream(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StoredBlob> {
    const key = await this.keys.getForWriting(this.correlationId);
    const pieces: HashedPiece[] = [];
    let rows: Row[] = [];
    let size = 0;
    for await (const piece of splitIntoPieces(source)) {
      size += piece.byteLength;
      const hash = contentHash(piece);
      pieces.push({ hash, size: piece.byteLength });
      rows.push(this.encryptRow(key, hash, KINDS.bytes, piece));
      if (rows.length < ROWS_PER_QUERY) continue;
      await this.store(rows);
      rows = [];
    }
    const hashes = pieces.map((piece) => piece.hash);
    const hash = hashes.length > 1 ? computePiecesHash(pieces) : (hashes[0] ?? contentHash(new Uint8Array()));
    if (hashes.length === 0) rows.push(this.encryptRow(key, hash, KINDS.bytes, new Uint8Array()));
    if (hashes.length > 1)
      rows.push(this.encryptRow(key, hash, KINDS.pieces, Buffer.from(JSON.stringify({ size, hashes }))));
    if (rows.length > 0) await this.store(rows);
    return { hash, size };
  }

  /** Stores the blobs of an append with few queries. */
  async putAll(blobs: readonly BlobWrite[]): Promise<void> {
    const small = blobs.filter(({ content }) => content.byteLength <= PIECE_BYTES);
    if (small.length > 0) {
      const key = await this.keys.getForWriting(this.correlationId);
      const rows = small.map(({ hash, content }) => this.encryptRow(key, hash, KINDS.bytes, content));
      for (let at = 0; at < rows.length; at += 4 * ROWS_PER_QUERY)
        await this.store(rows.slice(at, at + 4 * ROWS_PER_QUERY));
    }
    for (const { content } of blobs) if (content.byteLength > PIECE_BYTES) await this.putStream([content]);
  }

  async get(hash: string): Promise<Buffer | undefined> {
    const found = await this.find(hash);
    return found && joinParts(this.readParts(found, 0, Infinity));
  }

  /** One query for the blobs that fit in a row, and one or more for each larger one. */
  async getAll(hashes: readonly string[]): Promise<Map<string, Buffer>> {
    const key = await this.keys.getForReading(this.correlationId);
    const names = new Map(hashes.map((hash) => [key.computeBlobName(hash).toString('hex'), hash]));
    const rows = await this.query<Row>({
      name: 'phaseline-encrypted-blob-get-all',
      text: 'SELECT name, content FROM phaseline.encrypted_blobs WHERE correlation_id = $1 AND name = ANY ($2)',
      values: [this.correlationId, byteaArray([...names.keys()].map((name) => Buffer.from(name, 'hex')))],
    });
    const all = new Map<string, Buffer>();
    for (const row of rows) {
      const hash = names.get(row.name.toString('hex'))!;
      all.set(hash, await joinParts(this.readParts(this.decryptRow(key, hash, row), 0, Infinity)));
    }
    return all;
  }

  async size(hash: string): Promise<number | undefined> {
    const found = await this.find(hash);
    return found && (Buffer.isBuffer(found) ? found.byteLength : found.size);
  }

  async read(hash: string, { offset, length }: ByteRange): Promise<Buffer | undefined> {
    const found = await this.find(hash);
    return found && joinParts(this.readParts(found, offset, offset + length));
  }

  async *stream(hash: string, range?: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const found = await this.find(hash);
    if (!found) throw new BlobNotStored(hash);
    yield* this.readParts(found, range?.offset ?? 0, range ? range.offset + range.length : Infinity);
  }

  async has(hashes: readonly string[]): Promise<Set<string>> {
    const key = await this.keys.getForReading(this.correlationId);
    const names = new Map(hashes.map((hash) => [key.computeBlobName(hash).toString('hex'), hash]));
    const rows = await this.query<{ name: Buffer }>({
      name: 'phaseline-encrypted-blob-has',
      text: 'SELECT name FROM phaseline.encrypted_blobs WHERE correlation_id = $1 AND name = ANY ($2)',
      values: [this.correlationId, byteaArray([...names.keys()].map((name) => Buffer.from(name, 'hex')))],
    });
    return new Set(rows.flatMap(({ name }) => names.get(name.toString('hex')) ?? []));
  }

  private readParts(found: Buffer | Pieces, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
    return readParts(found, start, end, async (number) => {
      const hash = (found as Pieces).hashes[number];
      const content = hash === undefined ? undefined : await this.find(hash);
      if (!Buffer.isBuffer(content)) throw new BlobNotStored(hash ?? `piece ${number}`);
      return content;
    });
  }

  private async find(hash: string): Promise<Buffer | Pieces | undefined> {
    const key = await this.keys.getForReading(this.correlationId);
    const [row] = await this.query<Row>({
      name: 'phaseline-encrypted-blob-get',
      text: 'SELECT name, content FROM phaseline.encrypted_blobs WHERE correlation_id = $1 AND name = $2',
      values: [this.correlationId, key.computeBlobName(hash)],
    });
    return row && this.decryptRow(key, hash, row);
  }

  /** Decrypts and checks a row that was read for `hash`. Throws DecryptionFailed and BlobCorrupt. */
  private decryptRow(key: JobKey, hash: string, { name, content }: Row): Buffer | Pieces {
    const kind = content[0]!;
    const plain = key.decrypt(content.subarray(1), this.place(name, kind));
    if (!plain) throw new DecryptionFailed(`a file of job ${this.correlationId}`);
    // Decryption proves that an owner of the key wrote it under this name; this check proves that the content matches the hash.
    const found = kind === KINDS.pieces ? (JSON.parse(plain.toString('utf8')) as Pieces) : plain;
    const actual = Buffer.isBuffer(found) ? contentHash(found) : computePiecesHash(toNamedPieces(found));
    if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
    return found;
  }

  private encryptRow(key: JobKey, hash: string, kind: number, plain: Uint8Array): Row {
    const name = key.computeBlobName(hash);
    return { name, content: Buffer.concat([Buffer.of(kind), key.encrypt(plain, this.place(name, kind))]) };
  }

  private place(name: Buffer, kind: number): string {
    return encodeAssociatedData('phaseline blob', this.correlationId, name.toString('hex'), String(kind));
  }

  private async store(rows: readonly Row[]): Promise<void> {
    await this.query({
      name: 'phaseline-encrypted-blob-put',
      text: 'SELECT phaseline.put_encrypted_blobs($1, $2, $3)',
      values: [
        this.correlationId,
        byteaArray(rows.map(({ name }) => name)),
        byteaArray(rows.map(({ content }) => content)),
      ],
    });
  }

  private async query<Result extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Result[]> {
    try {
      return (await this.pool.query<Result>(config)).rows;
    } catch (error) {
      if (sqlState(error) === NO_KEY) {
        this.keys.forget(this.correlationId);
        throw new ContentErased(this.correlationId);
      }
      throw mapDatabaseError(error);
    }
  }
}

function toNamedPieces({ size, hashes }: Pieces): HashedPiece[] {
  return hashes.map((hash, number) => ({ hash, size: Math.min(PIECE_BYTES, size - number * PIECE_BYTES) }));
}
