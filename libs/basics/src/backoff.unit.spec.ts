import { describe, expect, it } from 'vitest';
import { backoffDelay } from './backoff.js';
import { catalogueOf, queueNames } from '@phaseline/queue';

describe('backoffDelay', () => {
  const backoff = { firstMs: 500, maxMs: 30_000 };

  it('doubles up to its maximum', () => {
    expect([1, 2, 3, 7, 8, 5_000].map((failures) => backoffDelay(backoff, failures, () => 1))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('is random within the upper half, and an integer of at least one millisecond', () => {
    expect(backoffDelay(backoff, 1, () => 0)).toBe(250);
    expect(Number.isInteger(backoffDelay({ firstMs: 3, maxMs: 7 }, 2, () => 0.3))).toBe(true);
    expect(backoffDelay({ firstMs: 0, maxMs: 0 }, 1)).toBe(1);
  });

  it('covers an outage of the event log of more than three minutes with the attempts of the catalogue', () => {
    for (const name of queueNames) {
      const { attempts, backoff: wait } = catalogueOf(undefined)[name];
      const minTotalMs = Array.from({ length: attempts - 1 }, (_, index) =>
        backoffDelay(wait, index + 1, () => 0),
      ).reduce((sum, ms) => sum + ms);
      expect(minTotalMs).toBeGreaterThan(200_000);
    }
  });
});
