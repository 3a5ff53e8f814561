import { embeddedGraphs, graphPack, Neo4jGraphs, type GraphHost } from '@phaseline/graph';
import { Histories } from '@phaseline/history';
import { isSealedCorrelation, type EventStore } from '@phaseline/event-store';
import { cachePack, ToolError, type PackHost, type ToolPack } from '@phaseline/tools';
import { HttpEmbedder, LocalEmbedder, vectorsPack, type Embedder } from '@phaseline/vectors';
import type { Pool } from 'pg';
import type { PackConfig } from './pack-config.js';

/** Jobs whose tenant is kept in memory. */
const KEPT_TENANTS = 1_000;

/** What the packs are given of this process. */
export function packHost(database: Pool, store: EventStore): PackHost<Pool> {
  const histories = new Histories(store);
  const tenants = new Map<string, string>();
  return {
    database,
    async tenantOf(jobId) {
      // Whatever asks for it is about to use tables that jobs share, in the clear and out of reach of the job's key.
      if (isSealedCorrelation(jobId))
        throw new ToolError(
          'not_for_encrypted_jobs',
          'This job is encrypted, and this tool would keep what it is given outside of the job. Go on without it.',
        );
      const known = tenants.get(jobId);
      if (known !== undefined) return known;
      const job = await histories.job(jobId);
      if (!job) throw new ToolError('no_job', `The log has no job ${jobId}. Tell the operator.`);
      const { tenant } = job.submitted;
      if (tenants.size >= KEPT_TENANTS) tenants.clear();
      tenants.set(jobId, tenant);
      return tenant;
    },
  };
}

/** The packs that keep something beside the log. Without a host they only tell what their tools take. */
export function keepingPacks(
  config: PackConfig,
  host: PackHost<Pool> | undefined,
): { readonly packs: readonly ToolPack[]; close(): Promise<void> } {
  const cache = { collection: config.PHASELINE_CACHE_COLLECTION, leaseMs: config.PHASELINE_CACHE_LEASE_MS };
  if (!host) return { packs: [cachePack(undefined, cache), graphPack(), vectorsPack()], close: async () => {} };
  const neo4j = neo4jOf(config, host);
  const graphs: GraphHost = neo4j ?? embeddedGraphs(host, config.PHASELINE_GRAPH);
  const { PHASELINE_GRAPH_METAMODEL: metamodel } = config;
  const graphHost: GraphHost = {
    graphOf: (jobId) => graphs.graphOf(jobId),
    ...(metamodel === undefined ? {} : { metamodel }),
  };
  return {
    packs: [cachePack(host, cache), graphPack(graphHost), vectorsPack({ ...host, embedder: embedderOf(config) })],
    close: async () => neo4j?.close(),
  };
}

function neo4jOf(config: PackConfig, host: PackHost<Pool>): Neo4jGraphs | undefined {
  const { NEO4J_URL: url, NEO4J_USER: user, NEO4J_PASSWORD: password, NEO4J_DATABASE: database } = config;
  return url === undefined ? undefined : new Neo4jGraphs({ url, user, password }, host, database);
}

function embedderOf(config: PackConfig): Embedder {
  const { PHASELINE_EMBEDDINGS_URL: baseUrl } = config;
  if (baseUrl === undefined) return new LocalEmbedder();
  return new HttpEmbedder({
    baseUrl,
    apiKey: config.PHASELINE_EMBEDDINGS_API_KEY,
    model: config.PHASELINE_EMBEDDINGS_MODEL,
    dimensions: config.PHASELINE_EMBEDDINGS_DIMENSIONS,
  });
}
