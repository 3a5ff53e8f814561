import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChunkStore, computeTextDigest } from './chunks/chunk-store.js';
import { openPgvectorDatabase, type PgvectorDatabase } from './pgvector.fixture.js';
import { describeVectorsContract } from './vectors-contract.fixture.js';

/** Started once, because that takes seconds. */
let opened: Promise<PgvectorDatabase>;
beforeAll(async () => {
  opened = openPgvectorDatabase();
  await opened;
}, 240_000);
afterAll(async () => (await opened).close());

describe('semantic search on pgvector', () => {
  describeVectorsContract(async () => ({ pool: (await opened).pool, close: async () => undefined }));
});

describe('the store on pgvector', () => {
  const scope = { tenant: 't', jobId: randomUUID(), space: 'spec/2' };
  const chunk = (text: string) => ({ text, from: 1, to: 1 });
  const vectors = { east: [1, 0], north: [0, 1], west: [-1, 0], between: [Math.SQRT1_2, Math.SQRT1_2] };

  it('compares inside the server, exactly and with the index, and gives the same order', async () => {
    const { pool } = await opened;
    const store = new ChunkStore(pool);
    const names = Object.keys(vectors) as (keyof typeof vectors)[];
    await store.storeEmbeddings(
      scope,
      names.map((name) => ({ digest: computeTextDigest(name), vector: Float32Array.from(vectors[name]) })),
    );
    const hashes = names.map((name) => computeTextDigest(`file ${name}`));
    for (const [i, name] of names.entries()) await store.recordFile(scope, hashes[i]!, [chunk(name)]);
    const { rows } = await pool.query(
      `SELECT count(embedding_vector)::integer AS vectors,
              (SELECT count(*)::integer FROM pg_indexes WHERE indexname LIKE 'vector_hnsw_%' AND indexdef LIKE '%spec/2%') AS indexes
       FROM phaseline.vector_embeddings WHERE space = 'spec/2'`,
    );
    expect(rows).toEqual([{ vectors: 4, indexes: 1 }]);
    const find = async (chunks: number) => {
      const signal = new AbortController().signal;
      const hits = await store.findNearest(scope, hashes, Float32Array.from([1, 0]), { limit: 3, chunks, signal });
      return hits.map(({ fileHash, score }) => [names[hashes.indexOf(fileHash)], Math.round(score * 100) / 100]);
    };
    const expected = [
      ['east', 1],
      ['between', 0.71],
      ['north', 0],
    ];
    expect(await find(4)).toEqual(expected);
    // Above 20,000 chunks, the index is used.
    expect(await find(20_001)).toEqual(expected);
  });
});
