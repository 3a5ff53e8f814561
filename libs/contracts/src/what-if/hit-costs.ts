import type { Amount } from './amount.js';
import type { BacktestHit } from './backtest.js';

export const NO_AMOUNT: Amount = { costMicroUsd: 0, durationMs: 0 };

export function addAmounts(left: Amount, right: Amount): Amount {
  return {
    costMicroUsd: left.costMicroUsd + right.costMicroUsd,
    durationMs: left.durationMs + right.durationMs,
  };
}

/** What hits cost if all of them are wrong. */
export interface HitCosts {
  /** One mean step of its phase for each hit. */
  readonly atLeast: Amount;
  /** What the phases did after their first hit, which contains what they did after the others; not less than `atLeast`. */
  readonly atMost: Amount;
}

/** Adds up what hits cost, phase by phase. */
export function sumHitCosts(hits: readonly BacktestHit[]): HitCosts {
  let total: HitCosts = { atLeast: NO_AMOUNT, atMost: NO_AMOUNT };
  for (const ofPhase of Map.groupBy(hits, ({ streamId }) => streamId).values()) {
    const atLeast = ofPhase.map(({ meanStep }) => meanStep).reduce(addAmounts, NO_AMOUNT);
    const atMost = ofPhase.map(({ after }) => after).reduce(getMaximum, atLeast);
    total = { atLeast: addAmounts(total.atLeast, atLeast), atMost: addAmounts(total.atMost, atMost) };
  }
  return total;
}

function getMaximum(left: Amount, right: Amount): Amount {
  return {
    costMicroUsd: Math.max(left.costMicroUsd, right.costMicroUsd),
    durationMs: Math.max(left.durationMs, right.durationMs),
  };
}
