import { createHash } from 'node:crypto';
import { ToolError } from '@phaseline/contracts';
import { withDatabase } from '@phaseline/tools';
import type { Pool, PoolClient } from 'pg';
import type { TextChunk } from './cut-text.js';
import type { IndexScope } from './index-scope.js';
import { ServerVectors, type ServerHit } from './server-vectors.js';

export interface ChunkHit {
  /** SHA-256 of the file's content, in hex. */
  readonly fileHash: string;
  readonly from: number;
  readonly to: number;
  /** Cosine similarity; 1 means the same direction. */
  readonly score: number;
}

export interface IndexedFile {
  readonly fileHash: string;
  readonly chunks: number;
  readonly skipReason: string | undefined;
}

/** Rows per fetch while comparing all chunks: 20 MB at 1,000 dimensions. */
const ROWS_PER_PAGE = 5_000;

const FOREIGN_KEY_VIOLATION = '23503';

/** Stores chunks and embeddings in the tables of migrations/000017_vectors.sql. */
export class ChunkStore {
  private server: Promise<ServerVectors | undefined> | undefined;

  constructor(private readonly pool: Pool) {}

  /** Returns the given contents that are indexed. */
  async findIndexedFiles({ jobId, space }: IndexScope, hashes: readonly string[]): Promise<readonly IndexedFile[]> {
    const { rows } = await withDatabase(() =>
      this.pool.query<{ hash: string; chunks: number; skipReason: string | null }>(
        `SELECT encode(file_hash, 'hex') AS hash, chunks, skip_reason AS "skipReason" FROM phaseline.vector_files
         WHERE job_id = $1 AND space = $2 AND file_hash = ANY ($3)`,
        [jobId, space, hashes.map(fromHex)],
      ),
    );
    return rows.map(({ hash, chunks, skipReason }) => ({
      fileHash: hash,
      chunks,
      skipReason: skipReason ?? undefined,
    }));
  }

  /** Returns when retention removed the vectors of a job last, as the event of the job says; `undefined` if it did not. */
  async findRemoval({ jobId }: IndexScope): Promise<string | undefined> {
    const { rows } = await withDatabase(() =>
      this.pool.query<{ removedAt: string }>(
        `SELECT data ->> 'removedAt' AS "removedAt" FROM phaseline.events
         WHERE stream_id = 'job-' || $1::text AND type = 'VectorsRemoved' ORDER BY version DESC LIMIT 1`,
        [jobId],
      ),
    );
    return rows[0]?.removedAt;
  }

  /** Returns the given text digests (hex) whose embedding is stored. */
  async findStoredDigests({ tenant, space }: IndexScope, digests: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await withDatabase(() =>
      this.pool.query<{ digest: string }>(
        `SELECT encode(digest, 'hex') AS digest FROM phaseline.vector_embeddings WHERE tenant = $1 AND space = $2 AND digest = ANY ($3)`,
        [tenant, space, digests.map(fromHex)],
      ),
    );
    return new Set(rows.map(({ digest }) => digest));
  }

  /** Stores embeddings; existing ones are not changed. Each call commits, so that a crash loses at most one paid batch. */
  async storeEmbeddings(
    { tenant, space }: IndexScope,
    entries: readonly { readonly digest: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    const digests = entries.map(({ digest }) => fromHex(digest));
    const vectors = entries.map(({ vector }) => encodeVector(vector));
    await withDatabase(async () => {
      const server = await this.serverVectors();
      const [first] = entries;
      if (!server || !first) {
        await this.pool.query(
          `INSERT INTO phaseline.vector_embeddings (tenant, space, digest, embedding)
           SELECT $1, $2, d, e FROM unnest($3::bytea[], $4::bytea[]) AS u(d, e) ORDER BY d ON CONFLICT DO NOTHING`,
          [tenant, space, digests, vectors],
        );
        return;
      }
      await server.ensureIndex(this.pool, space, first.vector.length);
      await this.pool.query(
        `INSERT INTO phaseline.vector_embeddings (tenant, space, digest, embedding, embedding_vector)
         SELECT $1, $2, d, e, ${server.toPointSql('p')} FROM unnest($3::bytea[], $4::bytea[], $5::text[]) AS u(d, e, p) ORDER BY d
         ON CONFLICT DO NOTHING`,
        [tenant, space, digests, vectors, entries.map(({ vector }) => `{${vector.join(',')}}`)],
      );
    });
  }

  /** Records a content and its chunks in one commit. A content that is already recorded is not changed. */
  async recordFile(
    { tenant, jobId, space }: IndexScope,
    fileHash: string,
    chunks: readonly TextChunk[],
    skipReason?: string,
  ): Promise<void> {
    const insert = () =>
      this.pool.query(
        `WITH file AS (
           INSERT INTO phaseline.vector_files (job_id, space, file_hash, chunks, skip_reason) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT DO NOTHING RETURNING file_hash
         )
         INSERT INTO phaseline.vector_chunks (job_id, space, file_hash, ordinal, from_line, to_line, tenant, digest)
         SELECT $1, $2, file.file_hash, c.ordinal, c.from_line, c.to_line, $6, c.digest
         FROM file, unnest($7::integer[], $8::integer[], $9::bytea[]) WITH ORDINALITY AS c(from_line, to_line, digest, ordinal)`,
        [
          jobId,
          space,
          fromHex(fileHash),
          chunks.length,
          skipReason ?? null,
          tenant,
          chunks.map(({ from }) => from),
          chunks.map(({ to }) => to),
          chunks.map(({ text }) => fromHex(computeTextDigest(text))),
        ],
      );
    await withDatabase(insert).catch((error: unknown) => {
      if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
      throw new ToolError('index_changed', 'The index was cleared while a file was being added. Try again.', {
        retryable: true,
        cause: error,
      });
    });
  }

  private serverVectors(): Promise<ServerVectors | undefined> {
    this.server ??= ServerVectors.find(this.pool).catch((error: unknown) => {
      this.server = undefined;
      throw error;
    });
    return this.server;
  }

  /** Finds the most similar chunks of the given contents, best first. `chunks` is the total number of their chunks. */
  async findNearest(
    scope: IndexScope,
    hashes: readonly string[],
    query: Float32Array,
    { limit, chunks, signal }: { limit: number; chunks: number; signal: AbortSignal },
  ): Promise<readonly ChunkHit[]> {
    const files = hashes.map(fromHex);
    return withDatabase(async () => {
      const server = await this.serverVectors();
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const best = server
          ? (await server.findNearest(client, scope, files, query, limit, chunks)).map(toChunkHit)
          : await compareAll(client, scope, files, query, limit, signal);
        await client.query('COMMIT');
        return best;
      } catch (error) {
        await client.query('ROLLBACK').catch((lost: Error) => (broken = lost));
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }
}

/** Compares every chunk, page by page. */
async function compareAll(
  client: PoolClient,
  { jobId, space }: IndexScope,
  files: readonly Buffer[],
  query: Float32Array,
  limit: number,
  signal: AbortSignal,
): Promise<ChunkHit[]> {
  await client.query(
    `DECLARE chunks NO SCROLL CURSOR FOR
     SELECT c.file_hash, c.from_line, c.to_line, e.embedding
     FROM phaseline.vector_chunks AS c JOIN phaseline.vector_embeddings AS e USING (tenant, space, digest)
     WHERE c.job_id = $1 AND c.space = $2 AND c.file_hash = ANY ($3)`,
    [jobId, space, files],
  );
  let best: ChunkHit[] = [];
  for (;;) {
    const page = await fetchPage(client);
    signal.throwIfAborted();
    best = mergeHits(best, page, query, limit);
    if (page.length < ROWS_PER_PAGE) return best;
  }
}

function toChunkHit({ hash, from_line, to_line, score }: ServerHit): ChunkHit {
  return { fileHash: hash, from: from_line, to: to_line, score: Number(score) };
}

interface ChunkRow {
  file_hash: Buffer;
  from_line: number;
  to_line: number;
  embedding: Buffer;
}

async function fetchPage(client: PoolClient): Promise<ChunkRow[]> {
  // Binary format: as text, every byte takes two characters.
  const config = { text: `FETCH ${ROWS_PER_PAGE} FROM chunks`, binary: true };
  return (await client.query<ChunkRow>(config)).rows;
}

function mergeHits(
  best: readonly ChunkHit[],
  page: readonly ChunkRow[],
  query: Float32Array,
  limit: number,
): ChunkHit[] {
  const floor = best.length < limit ? -Infinity : (best.at(-1)?.score ?? -Infinity);
  const hits = [...best];
  for (const { file_hash, from_line, to_line, embedding } of page) {
    const score = computeCosine(query, embedding);
    if (score > floor) hits.push({ fileHash: file_hash.toString('hex'), from: from_line, to: to_line, score });
  }
  return hits.sort((a, b) => b.score - a.score || a.from - b.from).slice(0, limit);
}

/** Dot product, which equals the cosine because both vectors have length 1. Returns -1 for different dimensions, which mean a different model under the same name. */
function computeCosine(query: Float32Array, bytes: Buffer): number {
  if (bytes.byteLength !== query.byteLength) return -1;
  // Rows share one buffer, and a Float32Array must start at a multiple of four bytes.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const vector = new Float32Array(aligned.buffer, aligned.byteOffset, query.length);
  let sum = 0;
  for (let i = 0; i < query.length; i += 1) sum += query[i]! * vector[i]!;
  return sum;
}

function encodeVector(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function computeTextDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function fromHex(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
