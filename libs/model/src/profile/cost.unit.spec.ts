import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCostMicroUsd, computeWorstCaseMicroUsd } from './cost.js';

const priced = (inputUsdPerMillion: number, outputUsdPerMillion: number, cachedInputUsdPerMillion?: number) => ({
  prices: {
    inputUsdPerMillion,
    outputUsdPerMillion,
    ...(cachedInputUsdPerMillion === undefined ? {} : { cachedInputUsdPerMillion }),
  },
});
const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  estimated: false,
});

describe('cost of a call', () => {
  it('is USD per million tokens times tokens, in micro-USD', () => {
    expect(computeCostMicroUsd(priced(2.5, 10, 1.25), usage(1_000, 200, 400))).toBe(600 * 2.5 + 400 * 1.25 + 200 * 10);
  });

  it('is rounded up, but not because of floating-point errors', () => {
    expect(computeCostMicroUsd(priced(0.1, 0), usage(30, 0))).toBe(3);
    expect(computeCostMicroUsd(priced(0.1, 0), usage(31, 0))).toBe(4);
    expect(computeCostMicroUsd(priced(0.000001, 0), usage(1, 0))).toBe(1);
    expect(computeCostMicroUsd(priced(0, 0), usage(1_000_000, 1_000_000))).toBe(0);
  });

  it('is always a safe integer, so that an event can store it', () => {
    const price = fc.double({ min: 0, max: 1_000_000, noNaN: true });
    fc.assert(
      fc.property(price, price, fc.maxSafeNat(), fc.maxSafeNat(), (input, output, inputTokens, outputTokens) => {
        const cost = computeCostMicroUsd(priced(input, output), usage(inputTokens, outputTokens));
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(Number.isSafeInteger(computeWorstCaseMicroUsd(priced(input, output), inputTokens, outputTokens))).toBe(
          true,
        );
      }),
    );
  });

  it('charges cached tokens at the full price if they have no price of their own', () => {
    expect(computeCostMicroUsd(priced(2, 0), usage(100, 0, 100))).toBe(200);
    expect(computeCostMicroUsd(priced(2, 0, 0), usage(100, 0, 100))).toBe(0);
  });

  it('never exceeds the worst case that was reserved', () => {
    const price = fc.double({ min: 0, max: 100, noNaN: true });
    const tokens = fc.nat({ max: 2_000_000 });
    fc.assert(
      fc.property(
        price,
        price,
        price,
        tokens,
        tokens,
        tokens,
        (input, cached, output, inputTokens, cachedTokens, outputTokens) => {
          const profile = priced(input, output, cached);
          const cost = computeCostMicroUsd(
            profile,
            usage(inputTokens, outputTokens, Math.min(cachedTokens, inputTokens)),
          );
          expect(Number.isSafeInteger(cost)).toBe(true);
          expect(cost).toBeLessThanOrEqual(computeWorstCaseMicroUsd(profile, inputTokens, outputTokens));
        },
      ),
    );
  });
});
