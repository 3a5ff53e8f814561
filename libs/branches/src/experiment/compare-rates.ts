import { computeWilsonInterval } from '@phaseline/basics';

/** How many of a number of branches completed. */
export interface PassCount {
  readonly passed: number;
  readonly total: number;
}

/** A value with the bounds within which the true one lies with 95 % confidence. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Share of branches that completed. */
export function estimateRate({ passed, total }: PassCount): Estimate {
  const [low, high] = computeWilsonInterval(passed, total);
  return { value: total === 0 ? 0 : passed / total, low, high };
}

/** How much more of the left branches completed than of the right ones, with the interval of Newcombe (1998, method 10). */
export function estimateDifference(left: PassCount, right: PassCount): Estimate {
  const [one, other] = [estimateRate(left), estimateRate(right)];
  const value = one.value - other.value;
  return {
    value,
    low: value - Math.hypot(one.value - one.low, other.high - other.value),
    high: value + Math.hypot(one.high - one.value, other.value - other.low),
  };
}
