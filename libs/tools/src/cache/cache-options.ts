import { collectionOf, hostOf, type PackHost } from '../pack-host.js';
import type { RunnerContext } from '../tool.js';
import { PostgresRequirementCache } from './postgres-requirement-cache.js';
import type { CallName, RequirementCache } from './requirement-cache.js';

export interface CacheOptions {
  /** Which collection a job writes to and claims from; `{tenant}` stands for its tenant. Default: one a tenant. */
  readonly collection?: string;
  /** How long a claim holds where the call does not say, in milliseconds. Default 15 minutes. */
  readonly leaseMs?: number;
}

export const DEFAULT_LEASE_MS = 15 * 60_000;

/** The cache as a call sees it. */
export interface CacheOfCall {
  readonly cache: RequirementCache;
  readonly call: CallName;
  readonly leaseMs: number;
}

export type OpenCache = (context: RunnerContext) => Promise<CacheOfCall>;

export function openCache(host: PackHost | undefined, options: CacheOptions = {}): OpenCache {
  return async ({ jobId, callId }) => {
    const { database, tenantOf } = hostOf(host, 'cache');
    const collection = collectionOf(options.collection ?? '{tenant}', await tenantOf(jobId));
    return {
      cache: new PostgresRequirementCache(database),
      call: { collection, jobId, callId },
      leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    };
  };
}
