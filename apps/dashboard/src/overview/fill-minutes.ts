import type { QueueMinute } from '@phaseline/client';

export interface QueueSeries {
  readonly queue: string;
  /** Beginnings of minutes, in seconds since 1970. */
  readonly times: readonly number[];
  /** Due work at the end of each minute. */
  readonly values: readonly number[];
}

const MINUTE = 60;

/** Turns the minutes in which something changed into one value per minute and queue, up to the minute of `nowMs`. */
export function fillMinutes(changes: readonly QueueMinute[], nowMs: number, minutes: number): readonly QueueSeries[] {
  const last = Math.floor(nowMs / 1_000 / MINUTE) * MINUTE;
  const times = Array.from({ length: minutes }, (_, at) => last - (minutes - 1 - at) * MINUTE);
  const byQueue = Map.groupBy(changes, ({ queue }) => queue);
  return [...byQueue].map(([queue, rows]) => {
    const sorted = rows
      .map(({ minute, depth }) => ({ time: Date.parse(minute) / 1_000, depth }))
      .sort((a, b) => a.time - b.time);
    let next = 0;
    let depth = 0;
    const values = times.map((time) => {
      for (; next < sorted.length && sorted[next]!.time <= time; next += 1) ({ depth } = sorted[next]!);
      return depth;
    });
    return { queue, times, values };
  });
}
