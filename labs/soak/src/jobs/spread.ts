import { percentile } from '@phaseline/harness';

/** The distribution of a duration in milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Summarises durations in milliseconds, of which there is at least one. */
export function summariseDurations(durations: readonly number[]): Spread {
  return { p50: percentile(durations, 0.5), p99: percentile(durations, 0.99), max: percentile(durations, 1) };
}

/** Renders a distribution in seconds. */
export function renderSpread({ p50, p99, max }: Spread): string {
  return [p50, p99, max].map((value) => (value / 1_000).toFixed(2)).join(' / ');
}
