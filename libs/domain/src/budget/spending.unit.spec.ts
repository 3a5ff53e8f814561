import { describe, expect, it } from 'vitest';
import { addSpending, addUnsettled, NOTHING_SPENT, spendingSchema, unsettledSchema } from './spending.js';

const MOST = Number.MAX_SAFE_INTEGER;

describe('what a job spent', () => {
  it('can always be recorded: sums stop at the largest number that an event holds', () => {
    const much = { ...NOTHING_SPENT, costMicroUsd: MOST - 1, outputTokens: MOST };
    const sum = addSpending(much, { ...much, steps: 1 });
    expect(sum).toEqual({ ...NOTHING_SPENT, steps: 1, costMicroUsd: MOST, outputTokens: MOST });
    expect(spendingSchema.parse(sum)).toEqual(sum);
    const reserved = addUnsettled({ costMicroUsd: MOST, tokens: 2 }, { costMicroUsd: 5, tokens: 3 });
    expect(unsettledSchema.parse(reserved)).toEqual({ costMicroUsd: MOST, tokens: 5 });
  });
});
