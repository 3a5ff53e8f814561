import { expect, it } from 'vitest';
import { computeQueueRates } from './compute-queue-rates.js';

it('computes rates per minute, and when the queue drains at the difference of both', () => {
  // 30 more are completed than arrive in four minutes, so 12 are gone after 96 s.
  expect(computeQueueRates({ waiting: 12, arrived: 10, completed: 40 }, 240)).toEqual({
    arrivalsPerMinute: 2.5,
    completionsPerMinute: 10,
    drainSeconds: 96,
    isGrowing: false,
  });
});

it('a queue without waiting messages neither drains nor grows', () => {
  const rates = computeQueueRates({ waiting: 0, arrived: 50, completed: 40 }, 300);
  expect(rates).toEqual({ arrivalsPerMinute: 10, completionsPerMinute: 8, isGrowing: false });
});

it('a queue on which messages wait and no more are completed than arrive grows', () => {
  for (const completed of [0, 4, 5]) {
    const rates = computeQueueRates({ waiting: 1, arrived: 5, completed }, 300);
    expect(rates.isGrowing).toBe(true);
    expect(rates).not.toHaveProperty('drainSeconds');
  }
  expect(computeQueueRates({ waiting: 1, arrived: 5, completed: 6 }, 300)).toMatchObject({
    drainSeconds: 300,
    isGrowing: false,
  });
});
