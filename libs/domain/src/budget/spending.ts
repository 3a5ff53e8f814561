import { z } from 'zod';

const count = z.int().min(0);

/** What a phase or a job has used: model calls, tokens, and money in micro-USD. */
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
    steps: addSaturating(left.steps, right.steps),
    inputTokens: addSaturating(left.inputTokens, right.inputTokens),
    cachedInputTokens: addSaturating(left.cachedInputTokens, right.cachedInputTokens),
    outputTokens: addSaturating(left.outputTokens, right.outputTokens),
    costMicroUsd: addSaturating(left.costMicroUsd, right.costMicroUsd),
  };
}

/** Adds up to the largest number that an event can hold. A larger sum could not be recorded, and the job could never end. */
function addSaturating(left: number, right: number): number {
  return Math.min(left + right, Number.MAX_SAFE_INTEGER);
}

/** Reservations of calls whose answer was lost: an upper bound of their unknown cost. */
export const unconfirmedSchema = z.object({ costMicroUsd: count, tokens: count });
export type Unconfirmed = z.infer<typeof unconfirmedSchema>;

export const NOTHING_UNCONFIRMED: Unconfirmed = { costMicroUsd: 0, tokens: 0 };

export function addUnconfirmed(left: Unconfirmed, right: Unconfirmed | undefined): Unconfirmed {
  if (!right) return left;
  return {
    costMicroUsd: addSaturating(left.costMicroUsd, right.costMicroUsd),
    tokens: addSaturating(left.tokens, right.tokens),
  };
}
