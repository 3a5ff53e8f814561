import type { Interval } from './instant.js';

/** Sorts intervals and joins those that touch or overlap. */
export function joinIntervals(intervals: readonly Interval[]): readonly Interval[] {
  const joined: Interval[] = [];
  for (const interval of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && interval.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) };
    else joined.push(interval);
  }
  return joined;
}
