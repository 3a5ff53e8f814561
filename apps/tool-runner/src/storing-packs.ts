import {
  createEmbeddedGraphHost,
  createGraphPack,
  Neo4jGraphHost,
  createCachePack,
  createVectorsPack,
  createFileEmbedder,
  type GraphHost,
} from '@phaseline/remote-packs';
import { JobRepository } from '@phaseline/repository';
import { isEncryptedCorrelation, type EventStore } from '@phaseline/event-store';
import { ToolError } from '@phaseline/contracts';
import { toEmbeddingSettings } from '@phaseline/service';
import { type PackHost, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import type { PackConfig } from './pack-config.js';

/** Number of jobs whose tenant is cached in memory. */
const MAX_CACHED_TENANTS = 1_000;

/** Creates what this process provides to packs: its database, and the tenant of a job. */
export function createPackHost(database: Pool, store: EventStore): PackHost<Pool> {
  const repository = new JobRepository(store);
  const tenants = new Map<string, string>();
  return {
    database,
    async getTenant(jobId) {
      // A pack that needs the tenant is about to write to tables shared by jobs, unencrypted, where erasing the job's key
      // has no effect.
      if (isEncryptedCorrelation(jobId))
        throw new ToolError(
          'not_for_encrypted_jobs',
          'This tool stores its input outside the job, which is not allowed for an encrypted job. Continue without it.',
        );
      const known = tenants.get(jobId);
      if (known !== undefined) return known;
      const job = await repository.loadJob(jobId);
      if (!job) throw new ToolError('no_job', `The log has no job ${jobId}. Tell the operator.`);
      const { tenant } = job.submitted;
      if (tenants.size >= MAX_CACHED_TENANTS) tenants.clear();
      tenants.set(jobId, tenant);
      return tenant;
    },
  };
}

/** Creates the packs that store data outside the log. */
export function createStoringPacks(
  config: PackConfig,
  host: PackHost<Pool>,
): { readonly packs: readonly ToolPack[]; close(): Promise<void> } {
  const cache = { collection: config.PHASELINE_CACHE_NAME, leaseMs: config.PHASELINE_CACHE_CLAIM_MS };
  const neo4j = neo4jOf(config, host);
  const graphs: GraphHost = neo4j ?? createEmbeddedGraphHost(host, config.PHASELINE_GRAPH_NAME);
  const { PHASELINE_GRAPH_METAMODEL_FILE: metamodel } = config;
  const graphHost: GraphHost = {
    openGraph: (jobId) => graphs.openGraph(jobId),
    ...(metamodel === undefined ? {} : { metamodel }),
  };
  return {
    packs: [
      createCachePack(host, cache),
      createGraphPack(graphHost),
      createVectorsPack({ ...host, embedder: createFileEmbedder(toEmbeddingSettings(config)) }),
    ],
    close: async () => neo4j?.close(),
  };
}

function neo4jOf(config: PackConfig, host: PackHost<Pool>): Neo4jGraphHost | undefined {
  const { NEO4J_URL: url, NEO4J_USER: user, NEO4J_PASSWORD: password, NEO4J_DATABASE: database } = config;
  return url === undefined ? undefined : new Neo4jGraphHost({ url, user, password }, host, database);
}
