import type { Unconfirmed } from '../budget/spending.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { ChildJob } from '../phase/state/calls.js';

/** Part of the remaining budget that one child job may use. The rest is for this job and further child jobs. */
const SHARE = 0.5;

/**
 * Computes the share of the remaining budget that is reserved for a child job, in micro-USD and tokens; undefined if nothing is left. A job
 * without a budget reserves nothing and sets no limit.
 */
export function computeChildShare({
  money: { allowance, spending, unconfirmed },
}: PhaseState): { readonly reserved: Unconfirmed; readonly limits: ChildJob['limits'] } | undefined {
  const usedTokens = spending.inputTokens + spending.outputTokens + unconfirmed.tokens;
  const cost = takeShare(allowance.costMicroUsd, spending.costMicroUsd + unconfirmed.costMicroUsd);
  const tokens = takeShare(allowance.tokens, usedTokens);
  if (cost === 0 || tokens === 0) return undefined;
  return {
    reserved: { costMicroUsd: cost ?? 0, tokens: tokens ?? 0 },
    limits: { ...(cost === undefined ? {} : { costMicroUsd: cost }), ...(tokens === undefined ? {} : { tokens }) },
  };
}

function takeShare(limit: number | undefined, used: number): number | undefined {
  return limit === undefined ? undefined : Math.floor(Math.max(0, limit - used) * SHARE);
}
