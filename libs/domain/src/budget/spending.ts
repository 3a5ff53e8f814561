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
    steps: left.steps + right.steps,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    costMicroUsd: left.costMicroUsd + right.costMicroUsd,
  };
}
