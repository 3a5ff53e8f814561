import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCostMicroUsd, computeWorstCaseMicroUsd } from './cost.js';

const priced = (
  inputUsdPerMillion: number,
  outputUsdPerMillion: number,
  cachedInputUsdPerMillion?: number,
  cacheWriteInputUsdPerMillion?: number,
) => ({
  prices: { inputUsdPerMillion, outputUsdPerMillion, cachedInputUsdPerMillion, cacheWriteInputUsdPerMillion },
});
const usage = (
  inputTokens: number,
  outputTokens: number,
  cachedInputTokens = 0,
  cacheWriteInputTokens: number | undefined = undefined,
) => ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, estimated: false });

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

  it('charges tokens written into the cache at their own price, or at the full price if they have none', () => {
    const written = usage(1_000, 0, 400, 500);
    expect(computeCostMicroUsd(priced(2, 0, 0.2, 2.5), written)).toBe(100 * 2 + 400 * 0.2 + 500 * 2.5);
    expect(computeCostMicroUsd(priced(2, 0, 0.2), written)).toBe(600 * 2 + 400 * 0.2);
  });

  it('never exceeds the worst case that was reserved', () => {
    const price = fc.double({ min: 0, max: 100, noNaN: true });
    const tokens = fc.nat({ max: 2_000_000 });
    fc.assert(
      fc.property(
        fc.tuple(price, price, price, price),
        tokens,
        tokens,
        tokens,
        tokens,
        ([input, cached, written, output], inputTokens, cachedTokens, writtenTokens, outputTokens) => {
          const profile = priced(input, output, cached, written);
          const cost = computeCostMicroUsd(
            profile,
            usage(inputTokens, outputTokens, Math.min(cachedTokens, inputTokens), writtenTokens),
          );
          expect(Number.isSafeInteger(cost)).toBe(true);
          expect(cost).toBeLessThanOrEqual(computeWorstCaseMicroUsd(profile, inputTokens, outputTokens));
        },
      ),
    );
  });
});
