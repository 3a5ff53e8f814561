import type { PackHost, ToolPack } from '@phaseline/tools';
import { openCache, type CacheOptions } from './cache-options.js';
import { claimRequirementsFromCache, markCachedRequirement } from './claim-requirements.js';
import { listCachedRequirements } from './list-cached-requirements.js';
import { writeClaimReport } from './write-claim-report.js';
import { writeRequirementToCache } from './write-requirement.js';

/** Tools that hand requirements over from the job that finds them to the jobs that check them. */
export function cachePack(host?: PackHost, options: CacheOptions = {}): ToolPack {
  const open = openCache(host, options);
  return {
    name: 'cache',
    tools: [
      writeRequirementToCache(open),
      claimRequirementsFromCache(open),
      markCachedRequirement(open),
      listCachedRequirements(open),
      writeClaimReport(open),
    ],
  };
}
