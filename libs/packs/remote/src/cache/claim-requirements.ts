import { cacheSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import type { OpenCache } from './cache-options.js';

const MINUTE_MS = 60_000;

export function claimRequirementsFromCache(
  open: OpenCache,
): ToolRun<typeof cacheSpec, 'claim_requirements_from_cache'> {
  return async (context, { limit, leaseMinutes: minutes }) => {
    const { cache, call, leaseMs } = await open(context);
    const claimed = await cache.claim(call, {
      limit,
      leaseMs: minutes === undefined ? leaseMs : minutes * MINUTE_MS,
    });
    if (claimed.length === 0) {
      const { claimed: held } = await cache.countByStatus(call.collection);
      return {
        content:
          held === 0
            ? 'No requirements are pending.'
            : `No requirements are pending. ${held} are claimed by other agents and become available if their leases expire.`,
      };
    }
    const lines = claimed.map(({ entry, token, id, text, modality, section, citation, confidence }) =>
      JSON.stringify({ entry, token, id, text, modality, section, citation, confidence }),
    );
    return {
      content: [`Claimed ${claimed.length} until ${claimed[0]?.leaseExpiresAt ?? ''}:`, ...lines].join('\n'),
    };
  };
}

export function markCachedRequirement(open: OpenCache): ToolRun<typeof cacheSpec, 'mark_cached_requirement'> {
  return async (context, { entry, token, outcome, note, leaseMinutes: minutes }) => {
    const { cache, call, leaseMs } = await open(context);
    const held = minutes === undefined ? leaseMs : minutes * MINUTE_MS;
    const result = await cache.endClaim(call, { entry, token, outcome, note, leaseMs: held });
    if (!result)
      throw new ToolError(
        'no_entry',
        `The cache has no entry ${entry}. Use an entry that claim_requirements_from_cache returned.`,
      );
    if (!result.accepted)
      throw new ToolError(
        'claim_lost',
        `You no longer hold the claim on entry ${entry} with token ${token}: its status is ${result.status}, and the latest token is ${result.token}. ` +
          'Nothing was changed. Discard your result for it and claim the next requirement.',
      );
    return {
      content:
        outcome === 'renew'
          ? `Your claim on entry ${entry} was extended until ${result.leaseExpiresAt ?? ''}.`
          : outcome === 'release'
            ? `Entry ${entry} was released.`
            : `Entry ${entry} is ${outcome}.`,
    };
  };
}
