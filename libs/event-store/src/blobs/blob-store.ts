import { createHash } from 'node:crypto';
import type pg from 'pg';
import { mapDatabaseError } from '../database/database-errors.js';
import { byteaArray } from '../append/binary-array.js';
import { BlobCorrupt } from './blob-errors.js';

/**
 * Bytes named by their SHA-256 (64 hex digits). Nothing is ever changed or removed, so a hash can be kept anywhere.
 * Raw pg: the contents travel as binary parameters.
 */
export class BlobStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Stores bytes and returns their name. Storing them again does nothing. */
  async put(content: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(content).digest();
    await this.query({
      name: 'phaseline-blob-put',
      text: 'INSERT INTO phaseline.blobs (hash, content) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING',
      values: [hash, bufferOf(content)],
    });
    return hash.toString('hex');
  }

  /** The bytes, or undefined when there are none of that name. Throws BlobCorrupt when they are not the ones that were stored. */
  async get(hash: string): Promise<Buffer | undefined> {
    const [row] = await this.query<{ content: string }>({
      name: 'phaseline-blob-get',
      text: 'SELECT content FROM phaseline.blobs WHERE hash = $1',
      values: [Buffer.from(hash, 'hex')],
      // node-postgres has no binary results. Buffer.from takes hex twice as fast as its own parser.
      types: { getTypeParser: () => (value: string) => value } as never,
    });
    if (!row) return undefined;
    const content = Buffer.from(row.content.slice(2), 'hex');
    const actual = createHash('sha256').update(content).digest('hex');
    if (actual !== hash.toLowerCase()) throw new BlobCorrupt(hash, actual);
    return content;
  }

  /** Which of the hashes are stored. */
  async has(hashes: readonly string[]): Promise<Set<string>> {
    const rows = await this.query<{ hash: Buffer }>({
      name: 'phaseline-blob-has',
      text: 'SELECT hash FROM phaseline.blobs WHERE hash = ANY ($1)',
      values: [byteaArray(hashes.map((hash) => Buffer.from(hash, 'hex')))],
    });
    return new Set(rows.map((row) => row.hash.toString('hex')));
  }

  private async query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(config)).rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
