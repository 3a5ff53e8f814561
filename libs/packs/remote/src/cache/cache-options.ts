import { collectionOf, hostOf, type PackHost, type RunnerContext } from '@phaseline/tools';
import { PostgresRequirementCache } from './postgres-requirement-cache.js';
import type { CallName, RequirementCache } from './requirement-cache.js';

export interface CacheOptions {
  /** Collection that a job writes to and claims from; `{tenant}` is replaced by its tenant. Default: one collection per tenant. */
  readonly collection?: string;
  /** Default lease of a claim in milliseconds. Default: 15 minutes. */
  readonly leaseMs?: number;
}

export const DEFAULT_LEASE_MS = 15 * 60_000;

/** The cache, the identity of the call that uses it, and the default lease. */
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
