import { cacheSpec } from '@phaseline/pack-specs';
import { implementPack, type PackHost, type ToolPack } from '@phaseline/tools';
import { openCache, type CacheOptions } from './cache-options.js';
import { claimRequirementsFromCache, markCachedRequirement } from './claim-requirements.js';
import { listCachedRequirements } from './list-cached-requirements.js';
import { writeClaimReport } from './write-claim-report.js';
import { writeRequirementToCache } from './write-requirement.js';

/** Tools that hand requirements over from the job that finds them to the jobs that check them. */
export function createCachePack(host: PackHost, options: CacheOptions = {}): ToolPack {
  const open = openCache(host, options);
  return implementPack(cacheSpec, {
    write_requirement_to_cache: writeRequirementToCache(open),
    claim_requirements_from_cache: claimRequirementsFromCache(open),
    mark_cached_requirement: markCachedRequirement(open),
    list_cached_requirements: listCachedRequirements(open),
    write_claim_report: writeClaimReport(open),
  });
}
