import { describe, expect, it } from 'vitest';
import { computeBackoffMs } from './backoff.js';

describe('backoffDelay', () => {
  const backoff = { firstMs: 500, maxMs: 30_000 };

  it('doubles up to its maximum', () => {
    expect([1, 2, 3, 7, 8, 5_000].map((failures) => computeBackoffMs(backoff, failures, () => 1))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('is random within the upper half, and an integer of at least one millisecond', () => {
    expect(computeBackoffMs(backoff, 1, () => 0)).toBe(250);
    expect(Number.isInteger(computeBackoffMs({ firstMs: 3, maxMs: 7 }, 2, () => 0.3))).toBe(true);
    expect(computeBackoffMs({ firstMs: 0, maxMs: 0 }, 1)).toBe(1);
  });
});
