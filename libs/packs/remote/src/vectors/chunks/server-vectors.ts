import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { IndexScope } from './index-scope.js';

/** Up to this number, the server compares every chunk. Beyond, it uses the HNSW index, which may miss some. */
const MAX_EXACT_CHUNKS = 20_000;
/** Maximum dimensions that pgvector can index in single precision. */
const MAX_INDEXED_DIMENSIONS = 2_000;

export interface ServerHit {
  readonly hash: string;
  readonly from_line: number;
  readonly to_line: number;
  readonly score: number;
}

/** Vector search with pgvector, if the server has it. Embeddings are also stored as pgvector values and compared inside the server. */
export class ServerVectors {
  private readonly prepared = new Set<string>();

  private constructor(
    /** Schema of the extension, quoted. */
    private readonly schema: string,
    private readonly hasIterativeScan: boolean,
  ) {}

  /** Returns `undefined` if the migration did not find pgvector. */
  static async find(pool: Pool): Promise<ServerVectors | undefined> {
    const { rows } = await pool.query<{ schema: string; version: string }>(
      `SELECT quote_ident(n.nspname) AS schema, e.extversion AS version
       FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
       WHERE e.extname = 'vector' AND EXISTS (
         SELECT FROM pg_attribute AS a WHERE a.attrelid = 'phaseline.vector_embeddings'::regclass AND a.attname = 'embedding_vector')`,
    );
    const [found] = rows;
    if (!found) return undefined;
    const [major = 0, minor = 0] = found.version.split('.').map(Number);
    return new ServerVectors(found.schema, major > 0 || minor >= 8);
  }

  /** Creates the HNSW index of a space before its first vectors are stored, while it is cheap. */
  async ensureIndex(pool: Pool, space: string, dimensions: number): Promise<void> {
    if (dimensions > MAX_INDEXED_DIMENSIONS || this.prepared.has(space)) return;
    const name = `vector_hnsw_${createHash('sha256').update(`${space}/${dimensions}`).digest('hex').slice(0, 24)}`;
    await pool.query('SELECT phaseline.index_vector_space($1, $2, $3)', [name, space, dimensions]);
    this.prepared.add(space);
  }

  /** Returns the SQL expression that converts a real[] parameter into a pgvector value. */
  toPointSql(parameter: string): string {
    return `${parameter}::real[]::${this.schema}.vector`;
  }

  async findNearest(
    client: PoolClient,
    { tenant, jobId, space }: IndexScope,
    hashes: readonly Buffer[],
    query: Float32Array,
    limit: number,
    chunks: number,
  ): Promise<readonly ServerHit[]> {
    const type = `${this.schema}.vector(${query.length})`;
    const distance = `(e.embedding_vector::${type} OPERATOR(${this.schema}.<=>) $4::real[]::${type})`;
    const exact = chunks <= MAX_EXACT_CHUNKS || query.length > MAX_INDEXED_DIMENSIONS || !this.hasIterativeScan;
    if (!exact) {
      // The index also holds chunks of other jobs, so the scan continues until enough chunks of this job are found.
      await client.query(
        "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('enable_seqscan', 'off', true)",
      );
    }
    const columns = `encode(c.file_hash, 'hex') AS hash, c.from_line, c.to_line`;
    const joined = `phaseline.vector_embeddings AS e JOIN phaseline.vector_chunks AS c USING (tenant, space, digest)
      WHERE e.tenant = $5 AND e.space = $2 AND c.job_id = $1 AND c.file_hash = ANY ($3) AND e.embedding_vector IS NOT NULL`;
    const text = exact
      ? `WITH mine AS MATERIALIZED (SELECT ${columns}, ${distance} AS distance FROM ${joined})
         SELECT hash, from_line, to_line, 1 - distance AS score FROM mine ORDER BY distance LIMIT $6`
      : // The space is a literal, otherwise the planner cannot match the partial index.
        `SELECT ${columns}, 1 - ${distance} AS score FROM ${joined} AND e.space = ${quoteLiteral(space)} ORDER BY ${distance} LIMIT $6`;
    const { rows } = await client.query<ServerHit>(text, [jobId, space, hashes, [...query], tenant, limit]);
    return rows;
  }
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\\', '')}'`;
}
