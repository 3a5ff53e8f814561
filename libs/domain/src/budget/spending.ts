import { z } from 'zod';

const count = z.int().min(0);

/** What a phase, or all phases of a job, took: model calls, tokens, and money in micro-USD. */
export const spendingSchema = z.object({
  steps: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  costMicroUsd: count,
});
export type Spending = z.infer<typeof spendingSchema>;

export const NOTHING_SPENT: Spending = {
  steps: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costMicroUsd: 0,
};

export function addSpending(left: Spending, right: Spending): Spending {
  return {
    steps: sum(left.steps, right.steps),
    inputTokens: sum(left.inputTokens, right.inputTokens),
    cachedInputTokens: sum(left.cachedInputTokens, right.cachedInputTokens),
    outputTokens: sum(left.outputTokens, right.outputTokens),
    costMicroUsd: sum(left.costMicroUsd, right.costMicroUsd),
  };
}

/** Stops at the largest number that an event can hold: a sum above it could not be recorded, and the job could never end. */
function sum(left: number, right: number): number {
  return Math.min(left + right, Number.MAX_SAFE_INTEGER);
}

/** Reservations of calls whose answer was lost: what they cost is not known, at most this. */
export const unsettledSchema = z.object({ costMicroUsd: count, tokens: count });
export type Unsettled = z.infer<typeof unsettledSchema>;

export const NOTHING_UNSETTLED: Unsettled = { costMicroUsd: 0, tokens: 0 };

export function addUnsettled(left: Unsettled, right: Unsettled | undefined): Unsettled {
  if (!right) return left;
  return { costMicroUsd: sum(left.costMicroUsd, right.costMicroUsd), tokens: sum(left.tokens, right.tokens) };
}
