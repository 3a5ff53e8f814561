import { resolveCollection, type PackHost, type RemoteToolContext } from '@phaseline/tools';
import { PostgresRequirementCache } from './postgres-requirement-cache.js';
import type { CallIdentity, RequirementCache } from './requirement-cache.js';

export interface CacheOptions {
  /**
   * Collection to which a job writes and from which it claims; `{tenant}` is replaced by its tenant. Default: one
   * collection per tenant.
   */
  readonly collection?: string;
  /** Default lease of a claim in milliseconds. Default: 15 minutes. */
  readonly leaseMs?: number;
}

const DEFAULT_LEASE_MS = 15 * 60_000;

/** The cache, the identity of the call that uses it, and the default lease. */
interface CacheForCall {
  readonly cache: RequirementCache;
  readonly call: CallIdentity;
  /** Tenant of the job. */
  readonly tenant: string;
  readonly leaseMs: number;
}

export type OpenCache = (context: RemoteToolContext) => Promise<CacheForCall>;

export function openCache(host: PackHost, options: CacheOptions = {}): OpenCache {
  return async ({ jobId, callId }) => {
    const { database, getTenant } = host;
    const tenant = await getTenant(jobId);
    const collection = resolveCollection(options.collection ?? '{tenant}', tenant);
    return {
      cache: new PostgresRequirementCache(database),
      call: { collection, jobId, callId },
      tenant,
      leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    };
  };
}
