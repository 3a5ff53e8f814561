import { z } from 'zod';
import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import type { OpenCache } from './cache-options.js';
import { CLAIM_OUTCOMES } from './requirement-cache.js';

const MINUTE_MS = 60_000;
const leaseMinutes = z.int().min(1).max(1_440).optional();

const claimInput = z.strictObject({
  limit: z.int().min(1).max(20).default(1).describe('How many to take at most.'),
  leaseMinutes: leaseMinutes.describe('How long you hold them. Default: as configured, 15 minutes.'),
});

export function claimRequirementsFromCache(open: OpenCache): RemoteTool {
  return defineRemoteTool<z.infer<typeof claimInput>>({
    name: 'claim_requirements_from_cache',
    description:
      'Takes the next requirements that wait to be checked, for you alone until the lease ends. Returns each with its entry and token, which mark_cached_requirement wants.',
    input: claimInput,
    effect: 'idempotent',
    timeoutMs: 30_000,
    async run(context, { limit, leaseMinutes: minutes }) {
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
    },
  });
}

const markInput = z.strictObject({
  entry: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  token: z.int().min(1).max(2_147_483_647).describe('The token of the claim.'),
  outcome: z
    .enum(CLAIM_OUTCOMES)
    .describe("'done' or 'failed' end it, 'release' gives it back for others, 'renew' holds it longer."),
  note: z.string().min(1).max(4_000).optional().describe('What came out; with failed, why.'),
  leaseMinutes: leaseMinutes.describe("With 'renew': how long from now on."),
});

export function markCachedRequirement(open: OpenCache): RemoteTool {
  return defineRemoteTool<z.infer<typeof markInput>>({
    name: 'mark_cached_requirement',
    description:
      'Says what became of a requirement that you claimed: done, failed, given back, or held longer. Refused when the claim is no longer yours.',
    input: markInput,
    effect: 'idempotent',
    timeoutMs: 30_000,
    async run(context, { entry, token, outcome, note, leaseMinutes: minutes }) {
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
    },
  });
}
