import { describe, expect, it } from 'vitest';
import { addSpending, addUnconfirmed, NOTHING_SPENT, spendingSchema, unconfirmedSchema } from './spending.js';

const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

describe('spending', () => {
  it('can always be recorded: sums are limited to the largest number that an event can hold', () => {
    const much = { ...NOTHING_SPENT, costMicroUsd: MAX_NUMBER - 1, outputTokens: MAX_NUMBER };
    const sum = addSpending(much, { ...much, steps: 1 });
    expect(sum).toEqual({ ...NOTHING_SPENT, steps: 1, costMicroUsd: MAX_NUMBER, outputTokens: MAX_NUMBER });
    expect(spendingSchema.parse(sum)).toEqual(sum);
    const reserved = addUnconfirmed({ costMicroUsd: MAX_NUMBER, tokens: 2 }, { costMicroUsd: 5, tokens: 3 });
    expect(unconfirmedSchema.parse(reserved)).toEqual({ costMicroUsd: MAX_NUMBER, tokens: 5 });
  });
});
