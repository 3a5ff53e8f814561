import { createHash } from 'node:crypto';
import { ToolError } from '@phaseline/contracts';
import { withDatabase } from '@phaseline/tools';
import type { Pool, PoolClient } from 'pg';
import type { TextChunk } from './cut-text.js';
import { ServerVectors, type ServerHit } from './server-vectors.js';

/** Whose index it is; nothing of another job or space is ever looked at. */
export interface IndexScope {
  readonly tenant: string;
  readonly jobId: string;
  readonly space: string;
}

export interface ChunkHit {
  /** SHA-256 of the file's content, in hex. */
  readonly fileHash: string;
  readonly from: number;
  readonly to: number;
  /** Cosine, 1 for the same direction. */
  readonly score: number;
}

export interface IndexedFile {
  readonly fileHash: string;
  readonly chunks: number;
  readonly skipped: string | undefined;
}

/** Rows that are held at once while all chunks are gone through: 20 MB at 1,000 dimensions. */
const PAGE = 5_000;

const FOREIGN_KEY = '23503';

/** The tables of migrations/000016_vectors.sql. */
export class ChunkStore {
  private server: Promise<ServerVectors | undefined> | undefined;

  constructor(private readonly pool: Pool) {}

  /** Of these contents, those that are indexed. */
  async indexed({ jobId, space }: IndexScope, hashes: readonly string[]): Promise<readonly IndexedFile[]> {
    const { rows } = await withDatabase(() =>
      this.pool.query<{ hash: string; chunks: number; skipped: string | null }>(
        `SELECT encode(file_hash, 'hex') AS hash, chunks, skipped FROM phaseline.vector_files
         WHERE job_id = $1 AND space = $2 AND file_hash = ANY ($3)`,
        [jobId, space, hashes.map(bytesOf)],
      ),
    );
    return rows.map(({ hash, chunks, skipped }) => ({ fileHash: hash, chunks, skipped: skipped ?? undefined }));
  }

  /** Of these texts, by digest in hex, those whose embedding is kept. */
  async known({ tenant, space }: IndexScope, digests: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await withDatabase(() =>
      this.pool.query<{ digest: string }>(
        `SELECT encode(digest, 'hex') AS digest FROM phaseline.vector_embeddings WHERE tenant = $1 AND space = $2 AND digest = ANY ($3)`,
        [tenant, space, digests.map(bytesOf)],
      ),
    );
    return new Set(rows.map(({ digest }) => digest));
  }

  /** Keeps embeddings; what is there stays. Each call is a commit, so that a crash loses one batch of what was paid for. */
  async keep(
    { tenant, space }: IndexScope,
    entries: readonly { readonly digest: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    const digests = entries.map(({ digest }) => bytesOf(digest));
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
      await server.prepare(this.pool, space, first.vector.length);
      await this.pool.query(
        `INSERT INTO phaseline.vector_embeddings (tenant, space, digest, embedding, point)
         SELECT $1, $2, d, e, ${server.point('p')} FROM unnest($3::bytea[], $4::bytea[], $5::text[]) AS u(d, e, p) ORDER BY d
         ON CONFLICT DO NOTHING`,
        [tenant, space, digests, vectors, entries.map(({ vector }) => `{${vector.join(',')}}`)],
      );
    });
  }

  /** Notes a content and its chunks, in one commit; a content that is noted already stays as it is. */
  async note(
    { tenant, jobId, space }: IndexScope,
    fileHash: string,
    chunks: readonly TextChunk[],
    skipped?: string,
  ): Promise<void> {
    const insert = () =>
      this.pool.query(
        `WITH file AS (
           INSERT INTO phaseline.vector_files (job_id, space, file_hash, chunks, skipped) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT DO NOTHING RETURNING file_hash
         )
         INSERT INTO phaseline.vector_chunks (job_id, space, file_hash, ordinal, from_line, to_line, tenant, digest)
         SELECT $1, $2, file.file_hash, c.ordinal, c.from_line, c.to_line, $6, c.digest
         FROM file, unnest($7::integer[], $8::integer[], $9::bytea[]) WITH ORDINALITY AS c(from_line, to_line, digest, ordinal)`,
        [
          jobId,
          space,
          bytesOf(fileHash),
          chunks.length,
          skipped ?? null,
          tenant,
          chunks.map(({ from }) => from),
          chunks.map(({ to }) => to),
          chunks.map(({ text }) => bytesOf(textDigest(text))),
        ],
      );
    await withDatabase(insert).catch((error: unknown) => {
      if ((error as { code?: string }).code !== FOREIGN_KEY) throw error;
      throw new ToolError('index_changed', 'The index was cleared while a file was put into it. Try again.', {
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

  /** Of these contents, which have so many chunks together, the chunks that are most alike, best first. */
  async nearest(
    scope: IndexScope,
    hashes: readonly string[],
    query: Float32Array,
    { limit, chunks, signal }: { limit: number; chunks: number; signal: AbortSignal },
  ): Promise<readonly ChunkHit[]> {
    const files = hashes.map(bytesOf);
    return withDatabase(async () => {
      const server = await this.serverVectors();
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const best = server
          ? (await server.nearest(client, scope, files, query, limit, chunks)).map(hitOf)
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

/** Goes through every chunk, a page at a time. */
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
    best = merged(best, page, query, limit);
    if (page.length < PAGE) return best;
  }
}

function hitOf({ hash, from_line, to_line, score }: ServerHit): ChunkHit {
  return { fileHash: hash, from: from_line, to: to_line, score: Number(score) };
}

interface ChunkRow {
  file_hash: Buffer;
  from_line: number;
  to_line: number;
  embedding: Buffer;
}

async function fetchPage(client: PoolClient): Promise<ChunkRow[]> {
  // In binary: as text every byte would come as two letters.
  const config = { text: `FETCH ${PAGE} FROM chunks`, binary: true };
  return (await client.query<ChunkRow>(config)).rows;
}

function merged(best: readonly ChunkHit[], page: readonly ChunkRow[], query: Float32Array, limit: number): ChunkHit[] {
  const floor = best.length < limit ? -Infinity : (best.at(-1)?.score ?? -Infinity);
  const hits = [...best];
  for (const { file_hash, from_line, to_line, embedding } of page) {
    const score = dot(query, embedding);
    if (score > floor) hits.push({ fileHash: file_hash.toString('hex'), from: from_line, to: to_line, score });
  }
  return hits.sort((a, b) => b.score - a.score || a.from - b.from).slice(0, limit);
}

/** Both are of length 1, so this is the cosine. A vector of another length is of another model that took the same name. */
function dot(query: Float32Array, bytes: Buffer): number {
  if (bytes.byteLength !== query.byteLength) return -1;
  // Rows share one buffer, and a Float32Array may only begin at a multiple of four.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const vector = new Float32Array(aligned.buffer, aligned.byteOffset, query.length);
  let sum = 0;
  for (let i = 0; i < query.length; i += 1) sum += query[i]! * vector[i]!;
  return sum;
}

function encodeVector(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
