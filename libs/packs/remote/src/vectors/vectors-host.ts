import { type PackHost, type RemoteToolContext } from '@phaseline/tools';
import type { Pool } from 'pg';
import type { Embedder } from '@phaseline/embeddings';
import { ChunkStore } from './chunks/chunk-store.js';
import type { IndexScope } from './chunks/index-scope.js';

/** Services that the vectors pack needs from the process that runs it. */
export interface VectorsHost extends PackHost<Pool> {
  readonly embedder: Embedder;
}

export interface IndexOfCall {
  readonly store: ChunkStore;
  readonly embedder: Embedder;
  readonly scope: IndexScope;
}

/** One store per pool, because a store caches what its server supports. */
const stores = new WeakMap<Pool, ChunkStore>();

export async function openIndex(host: VectorsHost, { jobId }: RemoteToolContext): Promise<IndexOfCall> {
  const { database, embedder, getTenant } = host;
  const store = stores.get(database) ?? new ChunkStore(database);
  stores.set(database, store);
  return {
    store,
    embedder,
    scope: { tenant: await getTenant(jobId), jobId, space: embedder.space },
  };
}
