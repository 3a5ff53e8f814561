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
            ? 'No requirement waits to be checked.'
            : `No requirement waits to be checked; ${held} are held by others and come back if their leases end.`,
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
        `There is no entry ${entry} in the cache. Use one that you were given by a claim.`,
      );
    if (!result.accepted)
      throw new ToolError(
        'claim_lost',
        `Entry ${entry} is not yours with token ${token}: it is ${result.status}, and the latest token is ${result.token}. ` +
          'Nothing was changed. Drop what you found for it, and claim the next one.',
      );
    return {
      content:
        outcome === 'renew'
          ? `Entry ${entry} is yours until ${result.leaseExpiresAt ?? ''}.`
          : outcome === 'release'
            ? `Entry ${entry} was given back.`
            : `Entry ${entry} is ${outcome}.`,
    };
  };
}
