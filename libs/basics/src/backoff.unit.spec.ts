import { describe, expect, it } from 'vitest';
import { computeBackoffMs, computeJitteredBackoffMs } from './backoff.js';

const backoff = { firstMs: 500, maxMs: 30_000 };

describe('computeBackoffMs', () => {
  it('doubles up to its maximum', () => {
    expect([1, 2, 3, 7, 8, 5_000].map((failures) => computeBackoffMs(backoff, failures))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
  });
});

describe('computeJitteredBackoffMs', () => {
  it('is random within the upper half, and an integer of at least one millisecond', () => {
    expect(computeJitteredBackoffMs(backoff, 2, () => 0)).toBe(500);
    expect(computeJitteredBackoffMs(backoff, 2, () => 1)).toBe(1_000);
    expect(Number.isInteger(computeJitteredBackoffMs({ firstMs: 3, maxMs: 7 }, 2, () => 0.3))).toBe(true);
    expect(computeJitteredBackoffMs({ firstMs: 0, maxMs: 0 }, 1)).toBe(1);
  });
});
